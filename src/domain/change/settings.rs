//! Changes of the library's rules, calendar, settings and notices.

use serde::{Deserialize, Serialize};

use super::About;
use crate::{
    domain::{
        calendar::CalendarForm, library::LibrarySettings, notice::NoticeSettings, rules::Rules,
        wording::Wordings,
    },
    message::{self, Message},
};

/// A change of the library's rules, calendar, settings or notices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SettingsChange {
    RulesChanged {
        before: Box<Rules>,
        after: Box<Rules>,
    },
    CalendarChanged {
        before: CalendarForm,
        after: CalendarForm,
    },
    SettingsChanged {
        before: Box<LibrarySettings>,
        after: Box<LibrarySettings>,
    },
    NoticesChanged {
        before: NoticeSettings,
        after: NoticeSettings,
    },
    /// `mail` is the name of the mail's kind.
    MailWordingChanged {
        mail: String,
        before: Wordings,
        after: Wordings,
    },
}

impl SettingsChange {
    pub(super) fn about(&self) -> About<'static> {
        About::of(match self {
            Self::RulesChanged { .. } => "rules-changed",
            Self::CalendarChanged { .. } => "calendar-changed",
            Self::SettingsChanged { .. } => "settings-changed",
            Self::NoticesChanged { .. } => "notices-changed",
            Self::MailWordingChanged { .. } => "mail-wording-changed",
        })
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        vec![match self {
            Self::RulesChanged { after, .. } => match after.effective_from {
                Some(day) => message::change_rules_from(day),
                None => message::change_rules(),
            },
            Self::CalendarChanged { .. } => message::change_calendar(),
            Self::SettingsChanged { .. } => message::change_settings(),
            Self::NoticesChanged { .. } => message::change_notices(),
            Self::MailWordingChanged { .. } => message::change_mail_wording(),
        }]
    }
}
