//! The program: parses the command line and runs the command.

use std::{
    fs::File,
    io::{BufRead as _, BufWriter, ErrorKind, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::Parser as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use library::{
    backups,
    clock::Clock,
    config::{
        self, AcceptContradictions, Admin, Cli, Command, Database, Export, Import, Isbn, LogFormat,
        MailCommand, Oidc, TextCommand, Visible, Zone,
    },
    demo,
    domain::{
        account::{Capability, EMAIL, NAME, PASSWORD, Role, new_password, refuse_own_words},
        change::PersonChange,
        id::{BookId, UserId},
        mail::Kind,
        rule::Invalid,
    },
    http::{self, web::Screens},
    import::{
        self,
        columns::{BOOKS, PEOPLE, Vocabulary},
        marc, rejects,
        staged::{self, ListRow},
        table::Source,
    },
    mail::{self, Outcome, Sender as _},
    password,
    people::{self, second_factor},
    policies::Policies,
    restore_book, server,
    storage::{
        self, Db, Location, Tx, accounts,
        authority::Authority,
        backup, books, catalogue, copies,
        events::{self, Entry},
        ledger, mails,
        migrate::{self, MIGRATIONS},
        people as people_stored, reviews, time_zone as time_zone_stored, transfer,
    },
    time_zone,
};
use rust_embed::RustEmbed;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::{Layer as _, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

/// Prints a line; ends the program quietly if the reader of the pipe has closed it, as `head` does (O25).
macro_rules! say {
    ($($text:tt)*) => { say(format_args!($($text)*)) };
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Built screens, embedded in the program. A debug build reads them from the folder at run time.
#[derive(RustEmbed)]
#[folder = "web/dist"]
#[allow_missing = true]
struct Files;

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) if error.use_stderr() => return misused(&error),
        // `--help` or `--version`.
        Err(asked) => asked.exit(),
    };
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line with all causes.
            eprintln!("library: {}", format!("{error:#}").replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

/// Exit code of a program that is stopped by a closed pipe: 128 + SIGPIPE.
const READER_LEFT: i32 = 141;

fn say(text: std::fmt::Arguments<'_>) {
    if let Err(error) = writeln!(std::io::stdout(), "{text}") {
        std::process::exit(if error.kind() == ErrorKind::BrokenPipe { READER_LEFT } else { 1 });
    }
}

/// Reports wrong arguments in one line, like any failure.
fn misused(error: &clap::Error) -> ExitCode {
    let message = error.render().to_string();
    let message = message.split("\n\n").next().unwrap_or(&message);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    eprintln!("library: {message} (see library --help)");
    ExitCode::from(2)
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Serve(options) => {
            log(options.log_format);
            let runtime = tokio::runtime::Runtime::new()?;
            let served = runtime.block_on(server::serve(*options, Screens::embedded::<Files>()));
            // Does not wait: `serve` has abandoned the tasks that still run.
            runtime.shutdown_background();
            served
        }
        Command::Admin(Admin::Create { email, name, password_stdin, database }) => {
            create_admin(&database, &email, &name, password_stdin)
        }
        Command::Admin(Admin::List { database }) => list_librarians(&database),
        Command::Admin(Admin::ResetPassword { email, password_stdin, database }) => {
            reset_password(&database, email, password_stdin)
        }
        Command::Admin(Admin::Deactivate { email, database, zone }) => deactivate(&database, &zone, email),
        Command::Admin(Admin::ResetSecondFactor { email, database }) => reset_second_factor(&database, email),
        Command::Import(Import::Books { file, columns, rejected, database }) => {
            import_books(&database, &file, columns, rejected)
        }
        Command::Import(Import::People { file, columns, dry_run, rejected, database, zone }) => {
            import_people(&database, &zone, &file, columns, dry_run, rejected)
        }
        Command::Import(Import::Loans { list }) => import_list::<import::loans::Loan>(list, None),
        Command::Import(Import::Charges { list, by }) => {
            import_list::<import::charges::Charge>(list, Some(by))
        }
        Command::Export(Export::Marc { file, database }) => export_marc(&database, &file),
        Command::Migrate { dry_run: true, database } => {
            let plan = migrate::plan(&database.database, MIGRATIONS)?;
            say!("{} {plan}", database.database);
            Ok(())
        }
        Command::Migrate { dry_run: false, database } => {
            // A running server would continue with a schema that it does not know.
            let plan = migrate::plan(&database.database, MIGRATIONS)?;
            let must_be_alone = plan.from > 0 && !plan.missing.is_empty();
            // Waits for another `migrate` that was started at the same moment.
            let alone = || storage::only_server(&database.database, Duration::from_secs(5));
            let _alone = must_be_alone.then(alone).transpose()?;
            let migrated = migrate::apply(&database.database, MIGRATIONS)?;
            for version in &migrated.applied {
                say!("{version} applied.");
            }
            say!("{} is up to date.", database.database);
            if migrated.from > 0 && !migrated.applied.is_empty() {
                say!("Older programs can no longer open it.");
            }
            Ok(())
        }
        // Copies the database unmigrated: this backup is the way back from a migration.
        Command::Backup { file, database } => backup_to(&file, &database),
        Command::Restore { file, verify: true, accept, .. } => {
            let good = backup::verify(&file)?;
            accept_contradictions(&file, accept, &good.contradictions)?;
            say!("{} is good: {}.", file.display(), good.found.contents());
            if !good.has_manifest {
                say!("It has no manifest beside it, so nothing tells whether it is the file that was made.");
            }
            Ok(())
        }
        Command::Restore { file, verify: false, accept, database } => restore(&file, accept, &database),
        Command::RestoreBook { from, book, accept, database, zone } => {
            restore_one_book(&from, book, accept, &database, &zone)
        }
        Command::TimeZone { name, database } => change_time_zone(&database, &name),
        Command::Openapi => {
            say!("{}", http::openapi::text().trim_end());
            Ok(())
        }
        Command::Move { from, to, zone } => move_library(&from, to, &zone),
        Command::Mail(MailCommand::Test { address, mail, database }) => test_mail(&database, &mail, &address),
        Command::Text(TextCommand::Test { phone, texts, database }) => test_text(&database, &texts, &phone),
        Command::Doctor { database, zone, backup_folder, visible, oidc, mail, isbn } => {
            if visible.has_unnamed_proxy() {
                say!(
                    "warning    https without --tls-certificate means a proxy: name its address in --trusted-proxies, or \
                     all visitors count as one"
                );
            }
            probe_provider(&oidc, &visible);
            probe_isbn_sources(&isbn);
            doctor(&database, &zone, backup_folder.as_deref(), Some(&mail))
        }
    }
}

/// Sets up logging. `LIBRARY_LOG` is a level, or a list `TARGET=LEVEL,…`.
fn log(format: LogFormat) {
    let asked = std::env::var("LIBRARY_LOG").ok().and_then(|text| text.parse().ok());
    let filter: Targets = asked.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        // The list of spans would repeat the one span of a request.
        LogFormat::Json => lines.json().with_span_list(false).boxed(),
    };
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}

/// Opens the database to add the first librarian; creates it if it is missing. Does not migrate an older one: `migrate`
/// does.
fn open_or_create(location: &Location) -> Result<Db> {
    if storage::is_new(location)? {
        let db = Db::open(location)?;
        say!("A new library was made in {location}.");
        return Ok(db);
    }
    Ok(Db::open_existing(location)?)
}

fn create_admin(database: &Database, email: &str, name: &str, password_stdin: bool) -> Result<()> {
    let mut invalid = Invalid::default();
    let email = EMAIL.check(email, &mut invalid);
    let name = NAME.check(name, &mut invalid);
    refuse(invalid)?;
    let db = open_or_create(&database.database)?;
    let library = db.read_blocking(|tx| Policies::default().current(tx))?.library.name.clone();
    let password_hash = ask_for_password(password_stdin, &[&email, &name, &library])?;
    let new = accounts::NewAccount {
        email,
        name,
        role: Role::Admin,
        roll_number: None,
        department: None,
        batch: None,
        password_hash,
    };
    let now = Clock::system(jiff::tz::TimeZone::UTC).now();
    let user = db.write_blocking(move |tx| -> Result<_> {
        // The account has no roll number, so only its address can clash.
        let user = accounts::add(tx, &new, now)?
            .map_err(|_| anyhow!("an account with this email address exists already"))?;
        let change = PersonChange::Registered { role: user.role };
        events::record(tx, now, None, &Entry::person(user.uid, change))?;
        Ok(user)
    })?;
    db.close();
    say!("{} can sign in as {}, in {}.", user.name, user.email.unwrap_or_default(), database.database);
    Ok(())
}

/// Prompts for a new password, which must not be one of the person's own words; returns its hash.
fn ask_for_password(from_stdin: bool, own_words: &[&str]) -> Result<String> {
    let typed = if from_stdin {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line)?;
        line.trim_end_matches(['\n', '\r']).to_owned()
    } else {
        let first = rpassword::prompt_password("Password: ")
            .context("no terminal to ask for the password: use --password-stdin")?;
        let second = rpassword::prompt_password("Once more: ")?;
        ensure!(first == second, "the two passwords differ");
        first
    };
    let mut invalid = Invalid::default();
    let password = new_password(PASSWORD, &typed, &mut invalid);
    refuse_own_words(PASSWORD, &password, own_words, &mut invalid);
    refuse(invalid)?;
    Ok(password::hash_now(&password)?)
}

/// Returns the account with this email address, and its name for messages.
fn account(tx: &mut Tx<'_>, email: &str) -> Result<(UserId, String)> {
    let (account, _) = accounts::credentials(tx, email)?
        .ok_or_else(|| anyhow!("there is no account with the email address {email}"))?;
    Ok((account.uid, account.user.map_or_else(|| email.to_owned(), |user| user.name)))
}

fn list_librarians(database: &Database) -> Result<()> {
    let db = Db::open_existing(&database.database)?;
    let librarians = db.read_blocking(people_stored::librarians)?;
    db.close();
    for librarian in librarians {
        let may: Vec<_> = librarian.capabilities.iter().map(|one| one.as_str()).collect();
        let state = match (librarian.active, librarian.has_password) {
            (false, _) => "inactive",
            (true, false) => "without a password",
            (true, true) => "active",
        };
        let email = librarian.details.email.unwrap_or_default();
        say!("{}\t{email}\t{state}\t{}", librarian.details.name, may.join(", "));
    }
    Ok(())
}

fn reset_password(database: &Database, email: String, password_stdin: bool) -> Result<()> {
    let db = Db::open_existing(&database.database)?;
    let (name, library) = db.read_blocking({
        let email = email.clone();
        move |tx| -> Result<_> {
            let (_, name) = account(tx, &email)?;
            Ok((name, Policies::default().current(tx)?.library.name.clone()))
        }
    })?;
    let hash = ask_for_password(password_stdin, &[&email, &name, &library])?;
    let moment = Clock::system(jiff::tz::TimeZone::UTC).moment();
    db.write_blocking(move |tx| -> Result<()> {
        let (person, _) = account(tx, &email)?;
        people::set_password(tx, &Authority::command_line(), moment, person, &hash)
            .map_err(|error| anyhow!("the password was not changed: {error:?}"))
    })?;
    db.close();
    say!("{name} has a new password and is signed out everywhere.");
    Ok(())
}

fn deactivate(database: &Database, zone: &Zone, email: String) -> Result<()> {
    let db = Db::open_existing(&database.database)?;
    let moment = clock(&db, zone)?.moment();
    let name = db.write_blocking(move |tx| -> Result<String> {
        let (person, name) = account(tx, &email)?;
        let rulebook = Policies::default().current(tx)?;
        let done = people::deactivate(tx, &Authority::command_line(), moment, &rulebook, person, "");
        done.map_err(|error| match error {
            people::Error::LastLibrarian => {
                anyhow!(
                    "{name} is the last librarian with all rights: make another first (library admin create)"
                )
            }
            error => anyhow!("{name} was not deactivated: {error:?}"),
        })?;
        Ok(name)
    })?;
    db.close();
    say!("{name} is signed out everywhere and cannot sign in any more.");
    Ok(())
}

fn reset_second_factor(database: &Database, email: String) -> Result<()> {
    let db = Db::open_existing(&database.database)?;
    let moment = Clock::system(jiff::tz::TimeZone::UTC).moment();
    let name = db.write_blocking(move |tx| -> Result<String> {
        let (person, name) = account(tx, &email)?;
        let reset = second_factor::reset(tx, &Authority::command_line(), moment, person);
        reset.map_err(|error| anyhow!("the second factor was not reset: {error:?}")).and_then(|was| {
            ensure!(was, "{name} has no second factor");
            Ok(name)
        })
    })?;
    db.close();
    say!(
        "{name} is signed out and signs in with the password alone, until they set up a second factor again."
    );
    Ok(())
}

/// Returns the library's clock, in the time zone stored in the database.
fn clock(db: &Db, zone: &Zone) -> Result<Clock> {
    let requested = zone.time_zone.clone();
    Ok(Clock::system(db.read_blocking(move |tx| time_zone::of(tx, requested.as_ref()))?))
}

fn change_time_zone(database: &Database, zone: &TimeZone) -> Result<()> {
    let _alone = time_zone_stored::without_servers(&database.database)?;
    let db = Db::open_existing(&database.database)?;
    let new = time_zone::name(Some(zone)).to_owned();
    let before = db.write_blocking({
        let new = new.clone();
        move |tx| -> storage::Result<_> {
            let before = time_zone_stored::kept(tx)?;
            time_zone_stored::change(tx, &new)?;
            Ok(before)
        }
    })?;
    db.close();
    match before {
        Some(before) if before != new => {
            say!("The library's days are those of {new} now, no longer of {before}.");
        }
        _ => say!("The library's days are those of {new}."),
    }
    Ok(())
}

fn refuse(invalid: Invalid) -> Result<()> {
    invalid.into_result(()).map_err(|invalid| {
        let messages: Vec<_> = invalid.0.into_iter().map(|error| error.message).collect();
        anyhow!(messages.join(" "))
    })
}

/// Returns the fields named by `--columns`, or guesses and prints them for `--columns guess`.
fn fields_of(file: &Path, columns: Option<String>, vocabulary: &Vocabulary) -> Result<Option<Vec<String>>> {
    let Some(columns) = columns else { return Ok(None) };
    if columns != "guess" {
        return Ok(Some(columns.split(',').map(|field| field.trim().to_owned()).collect()));
    }
    let guess = vocabulary.guess(&Source::Path(file.to_owned()), u64::MAX)?;
    for column in &guess.columns {
        let field = if column.field.is_empty() { "(left out)" } else { &column.field };
        say!("{} → {field}", column.heading);
    }
    Ok(Some(guess.columns.into_iter().map(|column| column.field).collect()))
}

/// Number of titles read at once for an export.
const PORTION: i64 = 500;

fn export_marc(database: &Database, file: &Path) -> Result<()> {
    let written = || format!("{}: cannot be written", file.display());
    let db = Db::open_existing(&database.database)?;
    let mut out = BufWriter::new(File::create_new(file).with_context(written)?);
    let mut after = BookId(0);
    loop {
        let (records, last) = db.read_blocking(move |tx| marc::portion(tx, after, PORTION))?;
        out.write_all(records.as_bytes()).with_context(written)?;
        let Some(last) = last else { break };
        after = last;
    }
    out.into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(|file| file.sync_all())
        .with_context(written)?;
    db.close();
    say!("{} has all titles of {}.", file.display(), database.database);
    Ok(())
}

fn progress_bar() -> Result<ProgressBar> {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}")?);
    Ok(bar)
}

fn import_books(
    database: &Database,
    file: &Path,
    columns: Option<String>,
    rejected: Option<PathBuf>,
) -> Result<()> {
    let rejected = rejected.unwrap_or_else(|| rejects::default_path(file));
    let fields = fields_of(file, columns, &BOOKS)?;
    let bar = progress_bar()?;
    let db = Db::open_existing(&database.database)?;
    let moment = Clock::system(jiff::tz::TimeZone::UTC).moment();
    let options =
        import::books::Options { fields, with_clashes: true, without_faulty: false, by: None, moment };
    let totals = import::books::import_with(&db, file, &rejected, options, &bar)?;
    db.close();
    say!(
        "{}: {} rows read, {} added, {} in the catalogue before, {} rejected.",
        file.display(),
        totals.rows,
        totals.added,
        totals.known,
        totals.rejected
    );
    say!("The database is {}.", database.database);
    if totals.copies > 0 {
        say!("{} of the rows brought more copies of titles that were there.", totals.copies);
    }
    if totals.rejected > 0 {
        say!("The rejected rows and the reasons are in {}.", rejected.display());
    }
    Ok(())
}

fn import_people(
    database: &Database,
    zone: &Zone,
    file: &Path,
    columns: Option<String>,
    dry_run: bool,
    rejected: Option<PathBuf>,
) -> Result<()> {
    let fields = fields_of(file, columns, &PEOPLE)?;
    let rejected = rejected.unwrap_or_else(|| rejects::default_path(file));
    rejects::is_another_file(&rejected, file)?;
    let db = Db::open_existing(&database.database)?;
    let moment = clock(&db, zone)?.moment();
    let import = import::people::Import {
        db: &db,
        policies: &Policies::default(),
        authority: &Authority::command_line(),
        moment,
        name: &file.file_name().unwrap_or_default().to_string_lossy(),
        fields: fields.as_deref(),
        dry_run,
        rejected: Some(&rejected),
    };
    let report = import.run(&Source::Path(file.to_owned())).map_err(|error| match error {
        import::people::Error::File(error) => error,
        error => anyhow::Error::new(error).context(file.display().to_string()),
    })?;
    db.close();
    say!("{}: {}.", file.display(), report.totals());
    say!("The database is {}.", database.database);
    if dry_run {
        say!("Nothing was stored.");
    }
    if report.missing() > 0 {
        say!("{} students of the same batches are not in the file; they stay as they are.", report.missing());
    }
    if report.totals().rejected() > 0 {
        say!("The rejected rows and the reasons are in {}.", rejected.display());
    }
    Ok(())
}

/// Returns the active librarian with this address who may charge people.
fn charging_librarian(db: &Db, email: String) -> Result<UserId> {
    db.read_blocking(move |tx| -> Result<_> {
        let (person, name) = account(tx, &email)?;
        let record = people_stored::by_id(tx, person)?.filter(|record| record.active);
        let may = record.is_some_and(|record| record.capabilities.contains(&Capability::Money));
        ensure!(may, "{name} is no active librarian with the right to money");
        Ok(person)
    })
}

fn import_list<R: ListRow>(list: config::List, by: Option<String>) -> Result<()> {
    let config::List { file, columns, dry_run, rejected, database, zone } = list;
    let rejected = rejected.unwrap_or_else(|| rejects::default_path(&file));
    let fields = fields_of(&file, columns, R::VOCABULARY)?;
    let bar = progress_bar()?;
    let db = Db::open_existing(&database.database)?;
    let by = by.map(|email| charging_librarian(&db, email)).transpose()?;
    let run =
        staged::Run { by, moment: clock(&db, &zone)?.moment(), file_name: import::books::file_name(&file) };
    let options = staged::Options { fields, run };
    let [rows, added, known, refused] = if dry_run {
        let report = staged::check_file::<R>(&db, &file, &rejected, &options)?;
        match report.day_order {
            Some("mixed") => say!("Days such as 05/06/2026 are refused: the file writes days both ways."),
            Some(order) => say!("Days such as 05/06/2026 are read {}.", order.replace('-', " ")),
            None => {}
        }
        [report.rows, report.added, report.known, report.rejected]
    } else {
        let counts = staged::import_file::<R>(&db, &file, &rejected, options, &bar)?;
        [counts.done, counts.added, counts.known, counts.rejected].map(i64::unsigned_abs)
    };
    db.close();
    let kind = R::KIND.as_str();
    say!(
        "{}: {rows} rows read, {added} {kind} added, {known} in the library before, {refused} rejected.",
        file.display()
    );
    say!("The database is {}.", database.database);
    if dry_run {
        say!("Nothing was stored.");
    }
    if refused > 0 {
        say!("The rejected rows and the reasons are in {}.", rejected.display());
    }
    Ok(())
}

fn backup_to(file: &Path, database: &Database) -> Result<()> {
    let made = backups::make(&database.database, file)?;
    say!("{} is a complete copy of {}: {}.", file.display(), database.database, made.found.contents());
    list_contradictions(&made.contradictions);
    ensure!(
        made.contradictions.is_empty(),
        "{} is kept, but the records in it and in the library contradict each other, as listed above",
        file.display()
    );
    Ok(())
}

fn list_contradictions(contradictions: &[String]) {
    for contradiction in contradictions {
        say!("wrong      {contradiction}");
    }
}

/// Lists the contradictions in a copy, and refuses it unless they are accepted.
fn accept_contradictions(
    copy: &Path,
    accept: AcceptContradictions,
    contradictions: &[String],
) -> storage::Result<()> {
    list_contradictions(contradictions);
    match contradictions {
        [first, ..] if !accept.although_records_contradict => Err(storage::Error::Open(format!(
            "{}: its records contradict each other: {first}; where no backup is better, \
             --although-records-contradict goes on all the same",
            copy.display()
        ))),
        _ => Ok(()),
    }
}

fn restore(file: &Path, accept: AcceptContradictions, database: &Database) -> Result<()> {
    let accept = |contradictions: &[String]| accept_contradictions(file, accept, contradictions);
    let restored = backup::restore(file, &database.database, &accept)?;
    say!("{} is now what {} holds: {}.", database.database, file.display(), restored.found.contents());
    if let Some(kept) = restored.kept {
        say!(
            "The database that was there is kept as {}; remove it when it is not needed any more.",
            kept.display()
        );
    }
    say!("Everyone must sign in again.");
    match restored.erased.as_deref() {
        None => say!("People who were erased since the copy was made are back: erase them once more."),
        Some([]) => say!("No person was erased since the copy was made."),
        Some(erased) => {
            say!("These people were erased since the copy was made and are back; erase them once more:");
            for person in erased {
                let number = person.roll_number.as_deref().unwrap_or("no roll number");
                say!("  people/{}  {number}", person.id);
            }
        }
    }
    Ok(())
}

fn restore_one_book(
    from: &Path,
    book: i64,
    accept: AcceptContradictions,
    database: &Database,
    zone: &Zone,
) -> Result<()> {
    storage::is_there(&database.database)?;
    let db = Db::open_existing(&database.database)?;
    let clock = clock(&db, zone)?;
    let accept = |contradictions: &[String]| accept_contradictions(from, accept, contradictions);
    let title = restore_book::book(from, &db, &clock, book.into(), &accept);
    db.close();
    say!("“{}” is in the catalogue again, its copies in the state that the backup has them in.", title?);
    say!("Look at the copies: what happened to them after the backup was made, the backup does not know.");
    Ok(())
}

/// Maximum contradictions of each kind that the doctor lists.
const CONTRADICTIONS: i64 = 100;

fn move_library(from: &Location, to: Location, zone: &Zone) -> Result<()> {
    let moved = transfer::move_library(from, &to)?;
    for (table, rows) in moved.iter().filter(|(_, rows)| **rows > 0) {
        say!("{rows:>10} {table}");
    }
    let rows: i64 = moved.values().sum();
    say!("{rows} rows of {} tables are in {to}, compared row by row.", moved.len());
    doctor(&Database { database: to }, zone, None, None)?;
    say!("{from} is unchanged. Serve the new database only; remove the old one when you are sure.");
    Ok(())
}

/// Prints whether the sign-in provider answers, if there is one.
fn probe_provider(oidc: &Oidc, visible: &Visible) {
    let probe = || -> Result<Option<String>> {
        let Some(provider) = oidc.provider(&visible.public_address()?)? else { return Ok(None) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(provider.probe())?;
        Ok(Some(provider.issuer().to_owned()))
    };
    match probe() {
        Ok(None) => {}
        Ok(Some(issuer)) => say!("provider   {issuer} answers"),
        Err(error) => say!("warning    {error:#}"),
    }
}

/// Book for which the sources of the ISBN look-up are probed: Pride and Prejudice, which every large catalogue has.
const PROBED_ISBN: &str = "9780141439518";

/// Prints which sources of the ISBN look-up answer.
fn probe_isbn_sources(isbn: &Isbn) {
    let probe = || -> Result<Vec<(String, Option<String>)>> {
        let Some(sources) = isbn.sources()? else { return Ok(Vec::new()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(sources.probe(PROBED_ISBN)))
    };
    match probe() {
        Ok(answers) => {
            for (name, failure) in answers {
                match failure {
                    None => say!("isbn       {name} answers"),
                    Some(reason) => say!("warning    ISBN look-up in {name}: {reason}"),
                }
            }
        }
        Err(error) => say!("warning    {error:#}"),
    }
}

/// Sends a mail at once, without the outbox.
fn test_mail(database: &Database, options: &config::Mail, address: &str) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    // The connection pool of the mail client can be created inside a Tokio runtime only.
    let _inside = runtime.enter();
    let post = options
        .post("localhost")?
        .context("mail is off: name a mail server by --smtp-url and --mail-from")?;
    let db = Db::open_existing(&database.database)?;
    let rulebook = db.read_blocking(|tx| Policies::default().current(tx))?;
    db.close();
    let letter = mail::test(&rulebook.library.language, &rulebook.library.name);
    let addressed = mail::Addressed { person: None, kind: Kind::Test, address, letter: &letter };
    let now = Clock::system(jiff::tz::TimeZone::UTC).now();
    let new = post.addressed(&addressed, now, mail::PATIENCE)?;
    match runtime.block_on(post.send(&mail::sent_now(new, now))) {
        Outcome::Sent(answer) => {
            say!("{answer} Whether it arrives shows in the mailbox of {address}.");
            Ok(())
        }
        failed => bail!("{}", failed.message()),
    }
}

/// Sends a text message at once, without the outbox.
fn test_text(database: &Database, options: &config::Texts, phone: &str) -> Result<()> {
    let gateway = options.gateway()?.context("text messages are off: name a gateway by --text-url")?;
    let db = Db::open_existing(&database.database)?;
    let rulebook = db.read_blocking(|tx| Policies::default().current(tx))?;
    db.close();
    let (language, library) = (&rulebook.library.language, &rulebook.library.name);
    let text = mail::Text::test(language, library);
    let now = Clock::system(jiff::tz::TimeZone::UTC).now();
    let new = text.addressed(None, phone, now, mail::PATIENCE)?;
    match tokio::runtime::Runtime::new()?.block_on(gateway.send(&mail::sent_now(new, now))) {
        Outcome::Sent(answer) => {
            say!("{answer} Whether it arrives shows on the phone.");
            Ok(())
        }
        failed => bail!("{}", failed.message()),
    }
}

/// Reports on the mail server and the outbox; a mail server that takes no mail is a contradiction.
fn doctor_of_mail(options: &config::Mail, counts: &mails::Counts, wrong: &mut Vec<String>) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    // The connection pool of the mail client can be created inside a Tokio runtime only.
    let _inside = runtime.enter();
    let Some(post) = options.post("localhost")? else { return Ok(()) };
    match runtime.block_on(post.check()) {
        Ok(()) => {
            say!("mail       {} answers; {} queued, {} failed", post.server(), counts.queued, counts.failed);
        }
        Err(reason) => wrong.push(reason.text()),
    }
    Ok(())
}

fn doctor(
    database: &Database,
    zone: &Zone,
    backup_folder: Option<&Path>,
    mail: Option<&config::Mail>,
) -> Result<()> {
    storage::is_there(&database.database)?;
    let db = Db::open_existing(&database.database)?;
    let clock = clock(&db, zone)?;
    let (books, (people, librarians), changes, mut contradictions, open, mails) =
        db.read_blocking(|tx| -> storage::Result<_> {
            let mut contradictions = copies::contradictions(tx, CONTRADICTIONS)?;
            contradictions.extend(ledger::contradictions(tx)?);
            contradictions.extend(reviews::contradictions(tx, CONTRADICTIONS)?);
            // For the doctor only: a backup in which a roll number is also a barcode is still good.
            contradictions.extend(copies::shared_with_readers(tx, CONTRADICTIONS)?);
            let open = demo::open_accounts(tx)?;
            Ok((
                books::count(tx)?,
                accounts::by_role(tx)?,
                catalogue::newest_change(tx)?,
                contradictions,
                open,
                mails::counts(tx)?,
            ))
        })?;
    db.close();
    say!("database   {} answers, schema up to date", database.database);
    say!("catalogue  {books} books, {changes} changes so far");
    say!("people     {people}, and {librarians} librarians who can sign in");
    say!("today      {} in {}", clock.today(), clock.zone_name());
    for file in storage::open_to_others(&database.database) {
        let file = file.display();
        say!("warning    {file} is open to everybody on this machine: chmod o= {file}");
    }
    for email in open {
        say!("warning    {email} can sign in with the demo's password, which everybody knows");
    }
    if contradictions.is_empty() {
        say!("copies     the catalogue's counts, the copies, the loans and the holds agree");
        say!("money      every balance is the sum of its lines, no receipt is missing");
    }
    if let Some(folder) = backup_folder {
        match backups::newest(folder, clock.now()) {
            Ok(newest) => say!("backup     {newest}"),
            Err(late) => contradictions.push(format!("{late:#}")),
        }
    }
    if let Some(mail) = mail {
        doctor_of_mail(mail, &mails, &mut contradictions)?;
    }
    list_contradictions(&contradictions);
    if librarians == 0 {
        say!("next       make the first librarian: library admin create --email E --name N");
    }
    match contradictions.len() {
        0 => Ok(()),
        1 => bail!("something is wrong, as said above"),
        count => bail!("{count} things are wrong, listed above"),
    }
}
