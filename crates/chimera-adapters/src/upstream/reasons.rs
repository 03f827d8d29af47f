//! Why an upstream server failed, in words that are safe to show to strangers: one line, no path, no credential.

use chimera_core::domain::hidden::is_hidden;
use rmcp::ServiceError;
use rmcp::model::ErrorData;
use rmcp::service::ClientInitializeError;

const REASON_CHARS_MAX: usize = 200;

/// One line of a stranger's prose: control characters, credentials in URLs, queries and absolute paths are taken out.
pub(super) fn scrubbed(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let words: Vec<String> = line.split_whitespace().map(scrubbed_word).collect();
    let clean: String = words.join(" ").chars().filter(|c| !is_hidden(*c)).collect();
    if clean.chars().count() <= REASON_CHARS_MAX {
        return clean;
    }
    clean.chars().take(REASON_CHARS_MAX - 1).chain(['…']).collect()
}

fn scrubbed_word(word: &str) -> String {
    if let Some((scheme, rest)) = word.split_once("://") {
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let path = path.split(['?', '#']).next().unwrap_or_default();
        // A file URL is a path of the machine.
        return if scheme.ends_with("file") { format!("{scheme}://…") } else { format!("{scheme}://{host}{path}") };
    }
    let bare = word.trim_start_matches(['\'', '"', '(', '[', '`', '=', ':']);
    let is_path = bare.starts_with('/') && bare[1..].contains('/') || bare.get(1..3) == Some(":\\");
    if is_path { "…".to_owned() } else { word.to_owned() }
}

pub(super) fn of_error_data(error: &ErrorData) -> String {
    let said = scrubbed(&error.message);
    if said.is_empty() { format!("it answered with error {}", error.code.0) } else { said }
}

pub(super) fn of_service_error(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(data) => of_error_data(data),
        ServiceError::TransportSend(_) => "the request could not be delivered".to_owned(),
        ServiceError::TransportClosed => "the connection ended".to_owned(),
        ServiceError::UnexpectedResponse => "it answered with something other than what was asked for".to_owned(),
        ServiceError::Cancelled { .. } => "it cancelled the request".to_owned(),
        other => scrubbed(&other.to_string()),
    }
}

pub(super) fn of_handshake_error(error: &ClientInitializeError) -> String {
    if error.is_authorization_required() {
        return "it wants authorization; add the header it needs to its entry".to_owned();
    }
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended the connection before the MCP handshake was done".to_owned(),
        ClientInitializeError::TransportError { .. } => "it cannot be reached, or does not speak MCP there".to_owned(),
        ClientInitializeError::JsonRpcError(data) => format!("it refused the MCP handshake: {}", of_error_data(data)),
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => "it speaks no version of MCP that we speak".to_owned(),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_handshake_error(fallback),
        ClientInitializeError::Cancelled => "the host is closing".to_owned(),
        _ => "its answer to the MCP handshake is not what MCP prescribes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::scrubbed;

    #[test]
    fn what_strangers_must_not_see_is_taken_out() {
        let table = [
            ("cannot open /home/me/.ssh/id_rsa now", "cannot open … now"),
            ("at \"/etc/passwd\": no", "at … no"),
            ("GET https://ada:secret@feeds.example/x?key=1 failed", "GET https://feeds.example/x failed"),
            ("see file:///etc/passwd", "see file://…"),
            ("\n  first line \nsecond line", "first line"),
            ("a\u{7}b\u{202e}\u{200b}\u{e0041}c", "abc"),
            ("either/or stays", "either/or stays"),
            ("", ""),
        ];
        for (given, expected) in table {
            assert_eq!(scrubbed(given), expected, "{given:?}");
        }
    }

    #[test]
    fn long_prose_is_cut() {
        assert_eq!(scrubbed(&"x".repeat(5_000)).chars().count(), 200);
    }
}
