//! Address of a request's client, and the network for which its attempts are counted.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Once,
};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{Extensions, HeaderMap, request::Parts},
};

use super::{Shared, error::Error};

/// Header in which proxies name the addresses of their callers.
const FORWARDED: &str = "x-forwarded-for";

/// Network of a client: an IPv4 address, or the /64 of an IPv6 address, the smallest block that a household or a server
/// gets and freely picks its addresses from (RFC 6177, BCP 157).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

impl FromRequestParts<Shared> for Network {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Error> {
        Ok(address(&parts.extensions, &parts.headers, &app.settings.trusted_proxies).into())
    }
}

/// Returns the address of the client, behind any trusted proxies.
#[must_use]
pub fn address(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpAddr]) -> IpAddr {
    client(peer(extensions), headers, trusted).to_canonical()
}

/// Logs once if an untrusted address forwards requests: all visitors behind that address then share its rate limits
/// (O8).
pub fn note_unknown_proxy(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpAddr]) {
    static LOGGED: Once = Once::new();
    let peer = peer(extensions);
    if headers.contains_key(FORWARDED) && !is_trusted(peer, trusted) {
        LOGGED.call_once(|| {
            tracing::warn!(
                %peer,
                "a request came with X-Forwarded-For from an address that --trusted-proxies does not name: if it is your \
                 proxy, name it, or all visitors are counted as one"
            );
        });
    }
}

/// Returns the address at the other end of the connection.
#[must_use]
pub fn peer(extensions: &Extensions) -> IpAddr {
    extensions.get::<ConnectInfo<SocketAddr>>().map_or(Ipv4Addr::LOCALHOST.into(), |info| info.0.ip())
}

/// True if `address` is a proxy that the operator trusts.
#[must_use]
pub fn is_trusted(address: IpAddr, trusted: &[IpAddr]) -> bool {
    trusted.iter().any(|proxy| proxy.to_canonical() == address.to_canonical())
}

/// Returns the client behind `peer`. Each proxy appends the address of its caller to `X-Forwarded-For`, so the list is
/// read from its right end for as long as trusted proxies wrote it. Clients can forge the rest.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpAddr]) -> IpAddr {
    let mut client = peer;
    let forwarded = headers.get_all(FORWARDED);
    let mut hops = forwarded.iter().rev().flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b','));
    while is_trusted(client, trusted)
        && let Some(before) = hops.next().and_then(hop)
    {
        client = before;
    }
    client
}

/// Parses an address of the header; some proxies add the port.
fn hop(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?.trim();
    text.parse().ok().or_else(|| text.parse().map(|address: SocketAddr| address.ip()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(peer: &str, forwarded: &[&'static str]) -> String {
        let trusted = ["10.0.0.1", "10.0.0.2", "::ffff:10.0.0.3"].map(|proxy| proxy.parse().unwrap());
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", axum::http::HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        client(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_forwarded_address_is_believed_from_trusted_proxies_only() {
        assert_eq!(seen("192.0.2.7", &["203.0.113.9"]), "192.0.2.7", "no proxy of ours");
        assert_eq!(seen("10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(seen("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(seen("10.0.0.1", &["198.51.100.7, 203.0.113.9, 10.0.0.2"]), "203.0.113.9", "two proxies");
        assert_eq!(seen("10.0.0.1", &["198.51.100.7", "203.0.113.9", "10.0.0.2"]), "203.0.113.9", "in lines");
        assert_eq!(seen("::ffff:10.0.0.1", &["203.0.113.9, 10.0.0.3"]), "203.0.113.9", "in IPv6 notation");
        assert_eq!(seen("10.0.0.1", &["203.0.113.9:4711"]), "203.0.113.9", "with a port");
        assert_eq!(seen("10.0.0.1", &["[2001:db8::1]:4711"]), "2001:db8::1");
    }

    /// Regression test for S1 and P4: the server used to read the list from the left, up to the first item that is not
    /// an address.
    #[test]
    fn a_client_cannot_put_an_address_of_its_choice_before_its_own() {
        for forged in
            ["9.9.9.9, x, 203.0.113.9", "x, 203.0.113.9", "9.9.9.9,,203.0.113.9", "10.0.0.2, 203.0.113.9"]
        {
            assert_eq!(seen("10.0.0.1", &[forged]), "203.0.113.9", "{forged}");
        }
        assert_eq!(seen("10.0.0.1", &["9.9.9.9, x"]), "10.0.0.1", "the proxy itself wrote something odd");
        assert_eq!(seen("10.0.0.1", &["9.9.9.9, x, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(seen("10.0.0.1", &["9.9.9.9, \u{e9}"]), "10.0.0.1");
    }

    /// S16, P4: a client with one IPv6 address can use 2⁶⁴ addresses.
    #[test]
    fn the_addresses_of_one_network_count_as_one() {
        let network = |text: &str| Network::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::7"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    }
}
