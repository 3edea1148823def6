//! TLS to `PostgreSQL`, with `libpq`'s meanings of `sslmode` and `sslrootcert`.

use library::storage::{Db, Location, books};

use crate::common::{Database, folder};

/// Returns the test cluster's certificate; it names `localhost`.
fn certificate() -> String {
    std::env::var("LIBRARY_TEST_POSTGRES_CERTIFICATE").expect("run through scripts/with-postgres")
}

/// Opens the database with another host name and these parameters.
fn open(database: &Database, host: &str, parameters: &str) -> Result<Db, String> {
    let Location::Postgres(url) = &database.location else { panic!("PostgreSQL") };
    let url = format!("{}?application_name=x&{parameters}", url.replace("127.0.0.1", host));
    Db::open(&Location::Postgres(url)).map_err(|error| error.to_string())
}

/// Returns which of the program's connections the server sees encrypted: all, none, or some.
fn encrypted(database: &Database) -> Vec<Vec<Option<String>>> {
    let seen = "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                WHERE datname = current_database() AND application_name = 'library'";
    database.raw(seen).expect("the server knows")
}

#[test]
fn connections_are_encrypted_as_the_url_says() {
    let database = Database::postgres();
    let root = certificate();
    for (host, parameters, ssl) in [
        ("127.0.0.1", "", "f"),
        ("127.0.0.1", "sslmode=disable", "f"),
        ("127.0.0.1", "sslmode=prefer", "t"),
        ("127.0.0.1", "sslmode=require", "t"),
        ("127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={root}"), "t"),
        ("127.0.0.1", &format!("sslmode=require&sslrootcert={root}"), "t"),
        ("localhost", &format!("sslmode=verify-full&sslrootcert={root}"), "t"),
    ] {
        let db = open(&database, host, parameters).expect(parameters);
        db.read_blocking(books::count).expect("it works");
        assert_eq!(encrypted(&database), [[Some(ssl.to_owned())]], "{host} {parameters}");
        db.close();
    }
}

#[test]
fn a_server_that_does_not_prove_itself_is_not_spoken_to() {
    let database = Database::postgres();
    let folder = folder();
    let other = folder.path().join("other root+1.pem");
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(&other, key.cert.pem()).expect("written");
    let other = other.to_str().expect("text").replace(' ', "%20");
    for (host, parameters, told) in [
        ("127.0.0.1", format!("sslmode=verify-full&sslrootcert={}", certificate()), "not valid for name"),
        ("localhost", format!("sslmode=verify-full&sslrootcert={other}"), "UnknownIssuer"),
        ("localhost", format!("sslmode=verify-ca&sslrootcert={other}"), "UnknownIssuer"),
        ("localhost", format!("sslmode=require&sslrootcert={other}"), "UnknownIssuer"),
        ("db.college.edu", String::new(), "another machine"),
    ] {
        let refused = open(&database, host, &parameters).err();
        assert!(refused.as_ref().is_some_and(|error| error.contains(told)), "{parameters}: {refused:?}");
    }
}
