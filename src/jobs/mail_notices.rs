//! Queues notices as mails: each urgent one as a mail of its own, and the reminders of a person as one digest a day, with the
//! notices that the person wants there. Readers and guardians without an address get text messages.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::civil::Date;
use url::{Host, Url};

use super::{Job, LEASE, Outcome, remind};
use crate::{
    domain::{
        id::{NoticeId, UserId},
        mail::{self, Channel},
        moment::Moment,
        notice::{Kind, Notice, NoticeSettings, Unmailed, is_weekly_day},
        wording::{Worded, Wordings},
    },
    library::Library,
    mail::{
        Addressed, Digest, Letter, Links, PATIENCE, Post, SmtpClient, Text, Writing, digest, notice,
        unsubscribe::{Scope, Signer},
    },
    message::Message,
    policies::Policies,
    storage::{
        self, Error, Tx, leases,
        mail_choices::{self, Addressee, Contacts},
        mails::{self, NewMail},
        notices::{self, DueOf, ForDigest, Hours, UnmailedNotice},
        settings,
    },
};

/// Maximum notices, or people with a digest, per transaction: a request from a desk waits for one portion at most.
const PORTION: i64 = 20;

/// Age in milliseconds above which a notice is not mailed, so that setting up a mail server does not send old notices.
const FRESH: i64 = 48 * HOUR;
/// The same for notices that wait for a weekly digest.
const FRESH_OF_WEEK: i64 = 7 * 24 * HOUR + FRESH;
/// Milliseconds.
const HOUR: i64 = 60 * 60 * 1000;

/// Factory of the links in mails about notices.
#[derive(Clone, Debug)]
pub struct Mailing {
    /// Public address of the library; `None` if only this machine could open it.
    base: Option<String>,
    signer: Signer,
}

impl Mailing {
    /// Creates the factory; `key` is shared by all servers of the library.
    #[must_use]
    pub fn new(public_url: &Url, key: &str) -> Self {
        let is_local = match public_url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => true,
        };
        Self { base: (!is_local).then(|| format!("{public_url}library/")), signer: Signer::new(key) }
    }

    fn links(&self, person: UserId, scope: Option<Scope>) -> Links {
        let Some(base) = &self.base else { return Links::default() };
        let unsubscribe =
            scope.map(|scope| format!("{base}unsubscribe/{}", self.signer.token(person, scope)));
        Links { page: Some(format!("{base}notices")), unsubscribe }
    }
}

/// Job that runs all the time.
pub struct MailNotices {
    post: Post,
    mailing: Mailing,
    /// Day for which all reminders are known to be written.
    reminded: Mutex<Option<Date>>,
}

impl MailNotices {
    /// Creates the job.
    #[must_use]
    pub fn new(post: Post, mailing: Mailing) -> Self {
        Self { post, mailing, reminded: Mutex::default() }
    }
}

impl Job for MailNotices {
    const NAME: &'static str = "mail-notices";
    // Short, because a reader may be waiting to hear that a book is ready.
    const PAUSE: Duration = Duration::from_secs(5);

    async fn run(&self, library: &Library, owner: &str) -> storage::Result<Outcome> {
        let Some(queued) = mail_notices(library, self, owner).await? else { return Ok(Outcome::Elsewhere) };
        if queued > 0 {
            tracing::info!(queued, "mails of notices are queued");
        }
        Ok(Outcome::Done)
    }
}

/// Mails to queue and notices to mark, in one transaction.
#[derive(Default)]
struct Batch {
    mails: Vec<NewMail>,
    carried: Vec<(NoticeId, String)>,
    left: Vec<(NoticeId, Unmailed)>,
    /// Notices that wait for the digest.
    waiting: Vec<NoticeId>,
}

impl Batch {
    fn add(&mut self, mail: NewMail, notices: impl IntoIterator<Item = NoticeId>) {
        self.carried.extend(notices.into_iter().map(|id| (id, mail.message_id.clone())));
        self.mails.push(mail);
    }

    fn store(self, tx: &mut Tx<'_>, now: i64) -> storage::Result<usize> {
        mails::queue_all(tx, &self.mails, now)?;
        notices::mailed(tx, &self.carried, now)?;
        notices::unmailed(tx, &self.left)?;
        notices::put_in_digest(tx, &self.waiting)?;
        Ok(self.mails.len())
    }
}

/// Writer of a portion's mails, with the settings and people that they need.
struct Writer<'d> {
    job: (&'d Post, &'d Mailing),
    settings: NoticeSettings,
    wordings: HashMap<Worded, Wordings>,
    library: String,
    language: String,
    people: HashMap<UserId, Addressee>,
    moment: Moment,
}

impl<'d> Writer<'d> {
    fn open(
        tx: &mut Tx<'_>,
        job: (&'d Post, &'d Mailing),
        policies: &Policies,
        people: &[UserId],
        moment: Moment,
    ) -> storage::Result<Self> {
        let rulebook = policies.current(tx)?;
        Ok(Self {
            job,
            settings: settings::notices(tx)?,
            wordings: settings::wordings(tx)?,
            library: rulebook.library.name.clone(),
            language: rulebook.library.language.clone(),
            people: mail_choices::addressees(tx, people)?,
            moment,
        })
    }

    /// Returns the reason why this notice is not mailed; `None` if it is to be mailed.
    fn refusal(&self, notice: &UnmailedNotice, kind: Kind) -> Option<Unmailed> {
        let waits_a_week = (kind.is_reminder() || notice.in_digest) && self.is_weekly(notice);
        let fresh = if waits_a_week { FRESH_OF_WEEK } else { FRESH };
        // These notices are about today or tomorrow, so they are outdated on another day.
        let passes = matches!(kind, Kind::DueToday | Kind::HoldExpiring);
        if notice.created_at < self.moment.at - fresh || passes && notice.day != Some(self.moment.today) {
            return Some(Unmailed::Old);
        }
        let Some(person) = self.people.get(&notice.person).filter(|person| person.active) else {
            return Some(Unmailed::Inactive);
        };
        if notice.to_guardian {
            return if !self.settings.reminds_guardian(kind) {
                Some(Unmailed::Library)
            } else if person.guardian.refuses {
                Some(Unmailed::Refused)
            } else {
                self.guardian(person).is_none().then_some(Unmailed::NoAddress)
            };
        }
        let post = self.job.0;
        let is_possible =
            post.has(Channel::Mail) || post.has(Channel::Text) && person.contacts.phone.is_some();
        if !self.settings.mails(kind) || !is_possible {
            return Some(Unmailed::Library);
        }
        if self.contact(person).is_none() {
            return Some(if person.is_unconfirmed { Unmailed::Unconfirmed } else { Unmailed::NoAddress });
        }
        (kind.is_optional() && person.choices.refused.contains(&kind)).then_some(Unmailed::Refused)
    }

    fn contact<'p>(&self, person: &'p Addressee) -> Option<(Channel, &'p str)> {
        person.contacts.choose(|channel| self.job.0.has(channel))
    }

    fn guardian<'p>(&self, person: &'p Addressee) -> Option<(Channel, &'p str)> {
        person.guardian.contact(|channel| self.job.0.has(channel))
    }

    /// True if the person wants notices of this kind in the digest.
    fn waits(&self, notice: &UnmailedNotice, kind: Kind) -> bool {
        let wanted = |person: &Addressee| person.choices.in_digest.contains(&kind);
        kind.can_wait() && self.people.get(&notice.person).is_some_and(wanted)
    }

    /// True if the notice's addressee gets the digest once a week.
    fn is_weekly(&self, notice: &UnmailedNotice) -> bool {
        !notice.to_guardian && self.people.get(&notice.person).is_some_and(|person| person.choices.weekly)
    }

    fn language_of<'l>(&'l self, person: &'l Addressee) -> &'l str {
        person.choices.language.as_deref().unwrap_or(&self.language)
    }

    fn writing<'w>(&'w self, mail: Worded, person: &'w Addressee) -> Writing<'w> {
        Writing { language: self.language_of(person), library: &self.library, own: self.wordings.get(&mail) }
    }

    fn addressed(
        &self,
        post: &SmtpClient,
        person: UserId,
        kind: mail::Kind,
        address: &str,
        letter: &Letter,
    ) -> storage::Result<NewMail> {
        let addressed = Addressed { person: Some(person), kind, address, letter };
        let made = post.addressed(&addressed, self.moment.at, PATIENCE);
        made.map_err(|error| Error::Database(error.into()))
    }

    /// Makes a row of the outbox from a text message.
    fn texted(&self, person: UserId, phone: &str, text: &Text) -> storage::Result<NewMail> {
        let made = text.addressed(Some(person), phone, self.moment.at, PATIENCE);
        made.map_err(|error| Error::Database(error.into()))
    }

    /// Adds the mail or text message of one notice.
    fn add_notice(&self, batch: &mut Batch, found: &UnmailedNotice, kind: Kind) -> storage::Result<()> {
        let Some(person) = self.people.get(&found.person) else { return Ok(()) };
        let writing = self.writing(Worded::Notice(kind), person);
        let mail = match (self.contact(person), &self.job.0.mail) {
            (Some((Channel::Mail, address)), Some(post)) => {
                let scope = kind.is_optional().then_some(Scope::Kind(kind));
                let links = self.job.1.links(found.person, scope);
                let letter = notice(writing, &person.name, kind, &found.text, links);
                self.addressed(post, found.person, mail::Kind::Notice, address, &letter)?
            }
            (Some((Channel::Text, phone)), _) => {
                self.texted(found.person, phone, &Text::notice(writing, &person.name, kind, &found.text))?
            }
            _ => return Ok(()),
        };
        batch.add(mail, [found.id]);
        Ok(())
    }

    /// Adds the digest of a person, or of the person's guardian, as a mail or a text message: reminders, and other notices.
    fn add_digest(
        &self,
        batch: &mut Batch,
        id: UserId,
        to_guardian: bool,
        mut found: Vec<(&UnmailedNotice, Kind)>,
        news: &[&UnmailedNotice],
    ) -> storage::Result<()> {
        let Some(person) = self.people.get(&id) else { return Ok(()) };
        found.sort_by_key(|(notice, _)| (notice.about, notice.id.0));
        let overdue = found.iter().filter(|(_, kind)| *kind == Kind::Overdue).count();
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let lines = found.iter().flat_map(|(notice, _)| notice.text.iter().cloned()).collect();
        let lines = Digest {
            overdue: number(overdue),
            due: number(found.len() - overdue),
            lines,
            news: news.iter().flat_map(|notice| notice.text.iter().cloned()).collect(),
        };
        let (worded, scope, contact) = if to_guardian {
            (Worded::GuardianDigest, Scope::Guardian, self.guardian(person))
        } else {
            (Worded::Digest, Scope::Digest, self.contact(person))
        };
        let writing = self.writing(worded, person);
        let mail = match (contact, &self.job.0) {
            (Some((Channel::Mail, address)), Post { mail: Some(post), .. }) => {
                let mut links = self.job.1.links(id, Some(scope));
                if to_guardian {
                    // No button for a guardian, because the page requires the person's own sign-in.
                    links.page = None;
                }
                let letter = digest(worded, writing, &person.name, &lines, links);
                self.addressed(post, id, mail::Kind::Digest, address, &letter)?
            }
            (Some((Channel::Text, phone)), _) => {
                self.texted(id, phone, &Text::reminder(writing, &person.name, &lines))?
            }
            _ => return Ok(()),
        };
        let mail = NewMail { digest_day: Some(self.moment.today), ..mail };
        batch.add(mail, found.iter().map(|(notice, _)| notice.id).chain(news.iter().map(|notice| notice.id)));
        Ok(())
    }

    /// Adds the mails for one person: the newest reminder of each loan to the digest, or to the guardian's, the notices that
    /// the person wants in the digest, and notices about kept copies as mails of their own. No address gets two reminders of
    /// one loan at once.
    fn add_digests(&self, batch: &mut Batch, id: UserId, found: &[UnmailedNotice]) -> storage::Result<()> {
        let [mut own, mut guardians]: [HashMap<_, (&UnmailedNotice, Kind)>; 2] = Default::default();
        let mut news = Vec::new();
        for notice in found {
            let Some(kind) = notice.kind else { continue };
            let is_in_digest = kind.is_reminder() || notice.in_digest;
            if is_in_digest && self.is_weekly(notice) && !is_weekly_day(self.moment.today) {
                continue;
            }
            if let Some(reason) = self.refusal(notice, kind) {
                batch.left.push((notice.id, reason));
            } else if notice.in_digest {
                news.push(notice);
            } else if !kind.is_reminder() {
                self.add_notice(batch, notice, kind)?;
            } else if let lines = if notice.to_guardian { &mut guardians } else { &mut own }
                && let Some((earlier, _)) = lines.insert(notice.loan, (notice, kind))
            {
                // Reminders are read oldest first, so the later one replaces the earlier.
                batch.left.push((earlier.id, Unmailed::Replaced));
            }
        }
        let has = |channel| self.job.0.has(channel);
        if self.people.get(&id).is_some_and(|person| person.guardian.shares(&person.contacts, has)) {
            for (_, (notice, _)) in guardians.extract_if(|loan, _| own.contains_key(loan)) {
                batch.left.push((notice.id, Unmailed::SameAddress));
            }
        }
        for (to_guardian, lines, news) in [(false, own, news), (true, guardians, Vec::new())] {
            if !lines.is_empty() || !news.is_empty() {
                self.add_digest(batch, id, to_guardian, lines.into_values().collect(), &news)?;
            }
        }
        Ok(())
    }
}

/// Result of one portion.
enum Round<P> {
    Elsewhere,
    /// Last notice or person, and number of mails queued.
    Further(P, usize),
    Done,
}

/// Queues the mails that are due, in portions. Returns the number of mails; `None` if another server holds the lease.
///
/// # Errors
/// Errors of the database.
pub async fn mail_notices(
    library: &Library,
    job: &MailNotices,
    owner: &str,
) -> storage::Result<Option<usize>> {
    let Moment { at, today } = library.clock.moment();
    let (hour, midnight) = (library.clock.hour_of(at), library.clock.begin_of(today));
    let found = library.db.snapshot(move |tx| -> storage::Result<_> {
        let settings = settings::notices(tx)?;
        let hours = if settings.is_quiet(hour) { Hours::Quiet } else { Hours::Open };
        let is_time = hours == Hours::Open && hour >= settings.mail_hour;
        let since = midnight + settings.mail_hour * HOUR;
        let reminds = is_time && !notices::to_remind(tx, today, since, UserId(0), 1)?.is_empty();
        Ok((notices::is_urgent(tx, hours)?, reminds, hours, since))
    });
    let (is_urgent, mut reminds, hours, since) = found.await?;
    if reminds && *job.reminded.lock().unwrap_or_else(PoisonError::into_inner) != Some(today) {
        // A digest sent while reminders are still being written would miss some.
        reminds = remind(library, owner).await?.is_some();
        if reminds {
            *job.reminded.lock().unwrap_or_else(PoisonError::into_inner) = Some(today);
        }
    }
    let mut queued = 0;
    let mut from = is_urgent.then_some(NoticeId(0));
    while let Some(after) = from {
        match portion(library, job, owner, move |tx, open| urgent(tx, hours, after, open)).await? {
            Round::Elsewhere => return Ok(None),
            Round::Further(last, mails) => (from, queued) = (Some(last), queued + mails),
            Round::Done => from = None,
        }
    }
    let mut from = reminds.then_some(UserId(0));
    while let Some(after) = from {
        match portion(library, job, owner, move |tx, open| digests(tx, (today, since), after, open)).await? {
            Round::Elsewhere => return Ok(None),
            Round::Further(last, mails) => (from, queued) = (Some(last), queued + mails),
            Round::Done => from = None,
        }
    }
    Ok(Some(queued))
}

/// Loads the writer for these people.
type Open<'o> = &'o dyn Fn(&mut Tx<'_>, &[UserId]) -> storage::Result<Writer<'o>>;

/// Runs one portion under the lease.
async fn portion<P: Send + 'static>(
    library: &Library,
    job: &MailNotices,
    owner: &str,
    work: impl FnOnce(&mut Tx<'_>, Open<'_>) -> storage::Result<Round<P>> + Send + 'static,
) -> storage::Result<Round<P>> {
    let (policies, name, moment) = (library.policies.clone(), owner.to_owned(), library.clock.moment());
    let (post, mailing) = (job.post.clone(), job.mailing.clone());
    library
        .db
        .write(move |tx| {
            if !leases::take(tx, MailNotices::NAME, &name, moment.at, moment.at + LEASE)? {
                return Ok(Round::Elsewhere);
            }
            let done =
                work(tx, &|tx, people| Writer::open(tx, (&post, &mailing), &policies, people, moment))?;
            if matches!(done, Round::Done) {
                leases::give_back(tx, MailNotices::NAME, &name)?;
            }
            Ok(done)
        })
        .await
}

fn urgent(
    tx: &mut Tx<'_>,
    hours: Hours,
    after: NoticeId,
    open: Open<'_>,
) -> storage::Result<Round<NoticeId>> {
    let found = notices::take_urgent(tx, hours, after, PORTION)?;
    let Some(last) = found.last().map(|notice| notice.id) else { return Ok(Round::Done) };
    let people: Vec<UserId> = found.iter().map(|notice| notice.person).collect();
    let writer = open(tx, &people)?;
    let mut batch = Batch::default();
    for notice in &found {
        let Some(kind) = notice.kind else { continue };
        match writer.refusal(notice, kind) {
            Some(reason) => batch.left.push((notice.id, reason)),
            None if writer.waits(notice, kind) => batch.waiting.push(notice.id),
            None => writer.add_notice(&mut batch, notice, kind)?,
        }
    }
    Ok(Round::Further(last, batch.store(tx, writer.moment.at)?))
}

/// Queues the digests of a day from this instant on.
fn digests(
    tx: &mut Tx<'_>,
    (today, since): (Date, i64),
    after: UserId,
    open: Open<'_>,
) -> storage::Result<Round<UserId>> {
    let people = notices::to_remind(tx, today, since, after, PORTION)?;
    let Some(last) = people.last().copied() else { return Ok(Round::Done) };
    let waiting = notices::count_for_digests(tx, &people)?;
    let found = notices::take_for_digests(tx, &people)?;
    let writer = open(tx, &people)?;
    let mut batch = Batch::default();
    for of_person in found.chunk_by(|one, next| one.person == next.person) {
        let Some(id) = of_person.first().map(|notice| notice.person) else { continue };
        // If another transaction has locked some of this person's notices, all wait for the next run.
        if waiting.get(&id) == Some(&of_person.len()) {
            writer.add_digests(&mut batch, id, of_person)?;
        }
    }
    Ok(Round::Further(last, batch.store(tx, writer.moment.at)?))
}

/// Preview of the digests of a day.
#[derive(Debug, Default)]
pub struct Planned {
    /// At most one per person, and one to the guardian.
    pub mails: Vec<PlannedMail>,
    /// People to whom a digest cannot be sent, because the library knows no confirmed address and no phone.
    pub without_address: Vec<(UserId, String)>,
}

/// Preview of a digest.
#[derive(Debug)]
pub struct PlannedMail {
    pub person: UserId,
    /// Name of the person, also for a mail to the guardian.
    pub name: String,
    pub to_guardian: bool,
    pub channel: Channel,
    /// Email address, or phone of a text message.
    pub address: String,
    /// Most overdue first, other notices last.
    pub lines: Vec<Message>,
}

/// Plans the digests of a day in one pass over the loans due and one over the notices that wait for a digest now, as if the
/// library mailed notices; writes nothing. `has` is true for a channel that the library can use.
///
/// # Errors
/// Errors of the database.
pub fn planned(tx: &mut Tx<'_>, day: Date, has: impl Fn(Channel) -> bool) -> storage::Result<Planned> {
    let settings = NoticeSettings { by_mail: true, ..settings::notices(tx)? };
    let last_due = settings.last_due(day, mail_choices::is_any_weekly(tx)?);
    let due = notices::due_by_person(tx, last_due)?;
    let mut news: BTreeMap<UserId, (String, Contacts, Vec<Message>)> = BTreeMap::new();
    for ForDigest { person, name, contacts, choices, kind, text } in notices::for_digests(tx)? {
        let waits = choices.weekly && !is_weekly_day(day);
        if kind.is_some_and(|kind| settings.mails(kind) && !choices.refused.contains(&kind)) && !waits {
            news.entry(person).or_insert_with(|| (name, contacts, Vec::new())).2.extend(text);
        }
    }
    let mut planned = Planned::default();
    for of_person in due.chunk_by(|one, next| one.loan.person == next.loan.person) {
        let [mut own, mut guardians] = [Vec::new(), Vec::new()];
        for due in of_person {
            let is_shared = due.guardian.shares(&due.contacts, &has);
            let mut is_reminded = false;
            for Notice { kind, step, text, to_guardian, .. } in settings.reminders(&due.loan, day) {
                let waits = due.choices.weekly && !is_weekly_day(day);
                let last = if due.choices.weekly { due.last_mailed } else { due.last_step };
                let is_new = |last: Option<i64>| last.is_none_or(|last| Some(last) < step);
                if to_guardian {
                    if is_new(due.last_step) && !(is_shared && is_reminded) {
                        guardians.extend(text);
                    }
                } else if is_new(last)
                    && !waits
                    && settings.mails(kind)
                    && !due.choices.refused.contains(&kind)
                {
                    is_reminded = true;
                    own.extend(text);
                }
            }
        }
        let Some(DueOf { loan, name, contacts, guardian, .. }) = of_person.first() else { continue };
        own.extend(news.remove(&loan.person).into_iter().flat_map(|(.., text)| text));
        planned.add(loan.person, name, false, own, contacts.choose(&has));
        planned.add(loan.person, name, true, guardians, guardian.contact(&has));
    }
    for (person, (name, contacts, text)) in news {
        planned.add(person, &name, false, text, contacts.choose(&has));
    }
    Ok(planned)
}

impl Planned {
    fn add(
        &mut self,
        person: UserId,
        name: &str,
        to_guardian: bool,
        lines: Vec<Message>,
        contact: Option<(Channel, &str)>,
    ) {
        match contact {
            _ if lines.is_empty() => {}
            Some((channel, address)) => {
                let (name, address) = (name.to_owned(), address.to_owned());
                self.mails.push(PlannedMail { person, name, to_guardian, channel, address, lines });
            }
            None => self.without_address.push((person, name.to_owned())),
        }
    }
}
