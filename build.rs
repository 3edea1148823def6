//! Lets a release build notice that the screens it embeds were built anew; a debug build reads them while it runs.

fn main() {
    let watched = if std::env::var("PROFILE").as_deref() == Ok("release") { "web/dist" } else { "build.rs" };
    println!("cargo::rerun-if-changed={watched}");
}
