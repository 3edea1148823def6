//! An authenticator with one passkey (Web Authentication Level 3), whose answers a test can alter.

use library::passkey::encoded;
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
        RsaKeyPair, RsaPublicKeyComponents,
    },
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A key of one signature algorithm (RFC 9053, RFC 8812), as PKCS #8.
#[derive(Clone)]
pub enum Key {
    Es256(Vec<u8>),
    Ed25519(Vec<u8>),
    Rs256(Vec<u8>),
}

impl Key {
    pub fn es256() -> Self {
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &SystemRandom::new());
        Self::Es256(key.expect("a key").as_ref().to_vec())
    }

    pub fn ed25519() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        Self::Ed25519(key.expect("a key").as_ref().to_vec())
    }

    /// Encodes the public key as authenticators do (COSE, RFC 9052).
    fn public(&self) -> Vec<u8> {
        match self {
            // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
            Self::Es256(key) => {
                let keys = ecdsa(key);
                let point = &keys.public_key().as_ref()[1..];
                let head = [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32];
                [&head, &point[..32], &[0x22, 0x58, 32], &point[32..]].concat()
            }
            // {1: 1, 3: -8, -1: 6, -2: x}
            Self::Ed25519(key) => {
                let keys = Ed25519KeyPair::from_pkcs8(key).expect("a key");
                [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32], keys.public_key().as_ref()].concat()
            }
            // {1: 3, 3: -257, -1: n, -2: e}
            Self::Rs256(key) => {
                let keys = RsaKeyPair::from_pkcs8(key).expect("a key");
                let RsaPublicKeyComponents { n, e } = RsaPublicKeyComponents::<Vec<u8>>::from(keys.public());
                let head = [0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59];
                let length = u16::try_from(n.len()).expect("short").to_be_bytes();
                let e_head = [0x21, 0x40 | u8::try_from(e.len()).expect("short")];
                [head.as_slice(), &length, &n, &e_head, &e].concat()
            }
        }
    }

    fn sign(&self, text: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Es256(key) => ecdsa(key).sign(&random, text).expect("a signature").as_ref().to_vec(),
            Self::Ed25519(key) => {
                Ed25519KeyPair::from_pkcs8(key).expect("a key").sign(text).as_ref().to_vec()
            }
            Self::Rs256(key) => {
                let keys = RsaKeyPair::from_pkcs8(key).expect("a key");
                let mut signature = vec![0; keys.public().modulus_len()];
                keys.sign(&RSA_PKCS1_SHA256, &random, text, &mut signature).expect("a signature");
                signature
            }
        }
    }
}

fn ecdsa(key: &[u8]) -> EcdsaKeyPair {
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key, &SystemRandom::new()).expect("a key")
}

/// An authenticator with one passkey; a test changes its fields to alter its answers.
#[derive(Clone)]
pub struct Device {
    pub key: Key,
    pub id: [u8; 16],
    pub origin: String,
    pub party: String,
    /// UP, UV.
    pub flags: u8,
    pub count: u32,
    pub handle: Option<String>,
}

impl Device {
    /// Creates authenticator number `n`, used in a browser at this address.
    pub fn at(origin: &str, n: u8) -> Self {
        Self {
            key: Key::es256(),
            id: [n; 16],
            origin: origin.to_owned(),
            party: "localhost".into(),
            flags: 0b101,
            count: 0,
            handle: None,
        }
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> Vec<u8> {
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false })
            .to_string()
            .into_bytes()
    }

    fn data(&self, more: u8) -> Vec<u8> {
        let mut data = Sha256::digest(&self.party).to_vec();
        data.push(self.flags | more);
        data.extend(self.count.to_be_bytes());
        data
    }

    /// Creates its passkey.
    pub fn make(&mut self, asked: &Value) -> Value {
        let options = &asked["publicKey"];
        self.handle = options["user"]["id"].as_str().map(ToOwned::to_owned);
        let mut data = self.data(0x40);
        data.extend([0; 16]);
        data.extend([0, 16]);
        data.extend(self.id);
        data.extend(self.key.public());
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59".to_vec();
        object.extend(u16::try_from(data.len()).expect("short").to_be_bytes());
        object.extend(data);
        json!({
            "name": "Meera's phone",
            "clientData": encoded(&self.client_data("webauthn.create", &options["challenge"])),
            "attestationObject": encoded(&object),
            "transports": ["internal", "hybrid", "odd\u{0}"],
        })
    }

    /// Signs a challenge with its passkey.
    pub fn sign(&self, asked: &Value) -> Value {
        self.sign_as("webauthn.get", asked)
    }

    /// Signs a challenge of this type with its passkey.
    pub fn sign_as(&self, kind: &str, asked: &Value) -> Value {
        let client_data = self.client_data(kind, &asked["publicKey"]["challenge"]);
        let data = self.data(0);
        let signed = [data.as_slice(), Sha256::digest(&client_data).as_slice()].concat();
        json!({
            "credentialId": encoded(&self.id),
            "clientData": encoded(&client_data),
            "authenticatorData": encoded(&data),
            "signature": encoded(&self.key.sign(&signed)),
            "userHandle": self.handle,
        })
    }
}
