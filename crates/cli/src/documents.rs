//! Every command that the documents show is one that this program takes.

#![allow(clippy::unwrap_used)] // a test that unwraps fails with the reason at hand

use crate::Call;
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages for users: the README, and all below these folders.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs"), root.join("examples"), root.join("python")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "md") {
                found.push(entry);
            }
        }
    }
    found
}

/// Commands in the blocks of shell and of terminal output, each in one line.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in page.replace("\\\n", " ").lines() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            inside = ["sh", "text", "bash", "console"].contains(&kind.trim());
        } else if inside {
            let parts = line.split("&&").map(|part| part.trim().trim_start_matches("$ "));
            found.extend(parts.filter(|part| part.starts_with("baton ")).map(str::to_owned));
        }
    }
    found
}

/// The words of a command as a shell would have them, up to a pipe, a redirection or a comment.
fn words(command: &str) -> Vec<String> {
    let (mut found, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in command.chars() {
        match (quote, letter) {
            (None, '|' | '>' | '<' | '#' | '&' | ';' | ')') => break,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == letter => quote = None,
            (None, ' ') => found.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    found.extend(word);
    // What a variable stands for is a number here, which all that take words take, too.
    found.iter().map(|word| if word.starts_with('$') { "1".into() } else { word.clone() }).collect()
}

#[test]
fn every_command_of_the_documents_is_understood() {
    let mut looked_at = 0;
    for page in pages() {
        for command in commands(&fs::read_to_string(&page).unwrap()) {
            looked_at += 1;
            let answer = Call::try_parse_from(words(&command));
            let refused = answer.err().filter(|error| error.exit_code() != 0);
            assert!(refused.is_none(), "{}: {command}\n{}", page.display(), refused.unwrap());
        }
    }
    assert!(looked_at >= 30, "{looked_at} commands");
}

#[test]
fn every_command_in_the_comments_of_what_is_deployed_is_understood() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    let mut looked_at = 0;
    for file in ["Containerfile", "compose.yaml", "baton.service"] {
        let text = fs::read_to_string(deploy.join(file)).unwrap();
        let shown = text.lines().filter_map(|line| line.strip_prefix("#   "));
        let lines = shown.filter_map(|line| {
            let begin = ["baton token", "baton store", "baton demo"];
            begin.iter().find_map(|begin| line.find(begin)).map(|place| &line[place..])
        });
        for line in lines {
            looked_at += 1;
            let refused = Call::try_parse_from(words(line)).err();
            assert!(refused.is_none(), "{file}: {line}\n{}", refused.unwrap());
        }
    }
    assert!(looked_at >= 5, "{looked_at} commands");
}

#[test]
fn words_are_those_of_a_shell() {
    assert_eq!(
        words("baton tell 3 --value '-1 e' # why"),
        ["baton", "tell", "3", "--value", "-1 e"]
    );
    assert_eq!(words("baton best | head"), ["baton", "best"]);
}
