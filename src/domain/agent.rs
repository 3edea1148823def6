//! Browser and operating system of a sign-in, in words that the user recognises. The `User-Agent` header itself is not
//! stored, because it contains more than needed.

/// Browser and operating system; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agent {
    pub browser: Option<&'static str>,
    pub system: Option<&'static str>,
}

/// Part of the header and name of each browser. Most browsers also name others for compatibility: the first match in this
/// order is right.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 8] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
    ("X11", "Unix"),
];

impl Agent {
    /// Parses a `User-Agent` header.
    #[must_use]
    pub fn of(header: &str) -> Self {
        let known = |names: &[(&str, &'static str)]| {
            names.iter().find(|(part, _)| header.contains(part)).map(|(_, name)| *name)
        };
        Self { browser: known(&BROWSERS), system: known(&SYSTEMS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_apart_although_they_name_one_another() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0";
        for (header, browser, system) in [
            (format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Safari/537.36 Edg/154.0"), "Edge", "Windows"),
            (format!("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {webkit} Safari/537.36"), "Chrome", "ChromeOS"),
            (format!("Mozilla/5.0 (Linux; Android 10; K) {webkit} Mobile Safari/537.36"), "Chrome", "Android"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.6 Mobile/15E148 Safari/604.1"
                    .into(),
                "Safari",
                "iPhone",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0".into(), "Firefox", "Linux"),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0".into(), "Firefox", "macOS"),
        ] {
            assert_eq!(Agent::of(&header), Agent { browser: Some(browser), system: Some(system) }, "{header}");
        }
        assert_eq!(Agent::of("curl/8.5.0"), Agent::default());
    }
}
