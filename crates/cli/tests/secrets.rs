//! A password in an address is never printed.

use crate::support::Scratch;

const FILE: &str = "name = \"secrets\"\nstore = \"STORE\"\n[space]\nx = { low = 0, high = 1 }\n\
                    [objective]\ngoal = \"minimize\"\ncommand = [\"true\"]\n[[task]]\nbudget = 1\n";

#[test]
fn no_password_is_printed_whatever_is_wrong_with_the_address() {
    // Nobody listens on port 1 of this machine.
    let addresses = [
        "postgres://ada:hunter2@127.0.0.1:1/db",
        "postgresql://ada:hun@ter2:hunter2@127.0.0.1:1/db",
        "postgres://127.0.0.1:1/db?user=ada&password=hunter2",
        "postgres://ada:hunter2@127.0.0.1:port/db",
        "postgres://ada:hunter2@127.0.0.1:1/db?nonsense=1",
        "postgre://ada:hunter2@127.0.0.1/db",
        "host=127.0.0.1 password=hunter2",
    ];
    let scratch = Scratch::new("secrets");
    for address in addresses {
        scratch.write("secrets.toml", &FILE.replace("STORE", address));
        for arguments in [
            &["status", "x", "--store", address][..],
            &["best", "--store", address, "--json"],
            &["worker", "--store", address, "--campaign", "x", "--", "true"],
            &["status", "secrets.toml"],
            &["run", "secrets.toml"],
            &["ask", "secrets.toml", "--json"],
        ] {
            let output = scratch.baton(arguments);
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8(said).unwrap();
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
            assert!(!said.contains("hunter2") && !said.contains("ter2"), "{arguments:?}: {said}");
            assert!(said.contains("error: could not"), "{arguments:?}: {said}");
        }
    }
}
