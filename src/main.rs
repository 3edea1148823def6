//! The program: reads the command line and does what it says.

use std::{
    io::{BufRead as _, IsTerminal as _},
    process::ExitCode,
};

use clap::Parser as _;
use library::{
    clock::Clock,
    config::{Admin, Cli, Command, Database, Import, LogFormat, Place},
    domain::{
        account::{EMAIL, NAME, Role, new_password},
        rule::Invalid,
    },
    http, import, password,
    server::{self, told},
    storage::{
        self, Db, accounts, books, catalogue,
        events::{self, Action, Event},
        migrate::{self, MIGRATIONS},
    },
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) if error.use_stderr() => return misused(&error),
        // Help and version were asked for.
        Err(asked) => asked.exit(),
    };
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(told) => {
            eprintln!("library: {told}");
            ExitCode::FAILURE
        }
    }
}

/// One line, as for every other failure.
fn misused(error: &clap::Error) -> ExitCode {
    let told = error.render().to_string();
    let said = told.split("\n\n").next().unwrap_or(&told);
    let said = said.strip_prefix("error: ").unwrap_or(said).split_whitespace().collect::<Vec<_>>().join(" ");
    eprintln!("library: {said} (library --help tells what there is)");
    ExitCode::from(2)
}

fn run(command: Command) -> Result<(), String> {
    match command {
        Command::Serve(options) => {
            log(options.log_format);
            tokio::runtime::Runtime::new().map_err(|error| told(&error))?.block_on(server::serve(*options))
        }
        Command::Admin(Admin::Create { email, name, password_stdin, database }) => {
            create_admin(&database, &email, &name, password_stdin)
        }
        Command::Import(Import::Books { file, rejected, database }) => {
            import::books(&open(&database)?, &file, rejected)
        }
        Command::Migrate { dry_run: true, database } => {
            let plan = migrate::plan(&database.database, MIGRATIONS).map_err(|error| told(&error))?;
            println!("{} {plan}", database.database);
            Ok(())
        }
        Command::Migrate { dry_run: false, database } => {
            let migrated = migrate::apply(&database.database, MIGRATIONS).map_err(|error| told(&error))?;
            for version in &migrated.applied {
                println!("{version} applied.");
            }
            println!("{} is up to date.", database.database);
            if migrated.from > 0 && !migrated.applied.is_empty() {
                println!("Older programs can no longer open it.");
            }
            Ok(())
        }
        // Of the database as it is: this is the way back from a migration.
        Command::Backup { file, database } => {
            storage::backup(&database.database, &file).map_err(|error| told(&error))?;
            println!("{} is a complete copy of {}.", file.display(), database.database);
            Ok(())
        }
        Command::Openapi => {
            print!("{}", http::openapi::text());
            Ok(())
        }
        Command::Doctor { database, place } => doctor(&database, &place),
    }
}

fn log(format: LogFormat) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("LIBRARY_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    let logs =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    match format {
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).init(),
        LogFormat::Json => logs.json().init(),
    }
}

fn open(database: &Database) -> Result<Db, String> {
    Db::open(&database.database).map_err(|error| told(&error))
}

fn create_admin(database: &Database, email: &str, name: &str, password_stdin: bool) -> Result<(), String> {
    let mut invalid = Invalid::default();
    let email = EMAIL.check(email, &mut invalid);
    let name = NAME.check(name, &mut invalid);
    refuse(invalid)?;
    let typed = if password_stdin {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(|error| told(&error))?;
        line.trim_end_matches(['\n', '\r']).to_owned()
    } else {
        let first = rpassword::prompt_password("Password: ").map_err(|error| {
            format!("no terminal to ask for the password ({error}); use --password-stdin")
        })?;
        let second = rpassword::prompt_password("Once more: ").map_err(|error| told(&error))?;
        if first != second {
            return Err("the two passwords differ".into());
        }
        first
    };
    let mut invalid = Invalid::default();
    let password = new_password(&typed, &mut invalid);
    refuse(invalid)?;
    let db = open(database)?;
    let new = accounts::NewAccount {
        email,
        name,
        role: Role::Admin,
        roll_number: None,
        department: None,
        batch: None,
        password_hash: password::hash_now(&password).map_err(|error| told(&error))?,
    };
    let now = Clock::system(jiff::tz::TimeZone::UTC).now();
    let user = db
        .write_blocking(move |tx| -> Result<_, http::error::Error> {
            let user = accounts::add(tx, &new, now)??;
            let event = Event {
                at: now,
                actor: None,
                action: Action::Register,
                subject: user.uid.0,
                before: None,
                after: Some(serde_json::json!({ "role": user.role })),
            };
            events::record(tx, &event)?;
            Ok(user)
        })
        .map_err(|error| match error {
            http::error::Error::EmailTaken => "an account with this email address exists already".to_owned(),
            other => told(&other),
        })?;
    db.close();
    println!("{} can sign in as {}.", user.name, user.email);
    Ok(())
}

fn refuse(invalid: Invalid) -> Result<(), String> {
    invalid
        .or(())
        .map_err(|invalid| invalid.0.into_iter().map(|error| error.message).collect::<Vec<_>>().join(" "))
}

fn doctor(database: &Database, place: &Place) -> Result<(), String> {
    let db = open(database)?;
    let clock = Clock::system(place.time_zone.clone());
    let (books, accounts, changes) = db
        .read_blocking(|tx| -> Result<_, library::storage::Error> {
            Ok((books::count(tx)?, accounts::count(tx)?, catalogue::newest_change(tx)?))
        })
        .map_err(|error| told(&error))?;
    db.close();
    println!("database   {} answers, schema up to date", database.database);
    println!("catalogue  {books} books, {changes} changes so far");
    println!("accounts   {accounts}");
    println!(
        "today      {} in {}",
        clock.today(),
        place.time_zone.iana_name().unwrap_or("a nameless time zone")
    );
    if accounts == 0 {
        println!("next       make the first librarian: library admin create --email E --name N");
    }
    Ok(())
}
