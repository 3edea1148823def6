//! Macro that defines an area's table of messages and their constructors.

macro_rules! messages {
    ($($code:literal = $name:ident($($param:ident: $type:ty),*): $text:literal;)+) => {
        /// Messages of the area.
        pub(super) const TEMPLATES: &[super::Template] = &[
            $(super::Template { code: $code, text: $text, params: &[$(stringify!($param)),*] }),+
        ];

        $(
            #[doc = concat!("`", $code, "`: ", $text)]
            #[must_use]
            pub fn $name($($param: $type),*) -> super::Message {
                #[allow(unused_mut, clippy::allow_attributes, reason = "some messages have no parameters")]
                let mut params = serde_json::Map::new();
                $(params.insert(
                    stringify!($param).to_owned(),
                    serde_json::to_value($param).unwrap_or_default(),
                );)*
                super::Message { code: $code, params }
            }
        )+
    };
}
