//! Where somebody goes after signing in: to the page that was asked for, and never to another server.

use url::Url;

const PATH_BYTES_MAX: usize = 2048;
const FIRST_PAGE: &str = "/";

/// The sign-in page that leads back to `target`, a path with its query.
pub(super) fn to_sign_in(target: &str) -> String {
    let query: String = url::form_urlencoded::byte_serialize(page_after_sign_in(Some(target)).as_bytes()).collect();
    if query == "%2F" { "/login".to_owned() } else { format!("/login?to={query}") }
}

/// `to` if it is a path of ours, else the first page.
pub fn page_after_sign_in(to: Option<&str>) -> &str {
    to.filter(|to| is_path_of_ours(to)).unwrap_or(FIRST_PAGE)
}

/// As browsers read it: they take `\` for `/`, leave out tabs and line ends, and `//host` is another server.
fn is_path_of_ours(to: &str) -> bool {
    let is_plain = to.len() <= PATH_BYTES_MAX && to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_path = to.starts_with('/') && !to.starts_with("//");
    let us = Url::parse("http://us.invalid/").expect("a fixed address");
    let is_ours =
        us.join(to).is_ok_and(|there| there.origin() == us.origin() && !there.path().starts_with("//") && there.path() != "/login");
    is_plain && is_path && is_ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_to_another_server() {
        for ours in ["/review", "/review/0b5c?kind=content&x=%2F%2Fevil.example", "/campaigns/a#b", "/"] {
            assert_eq!(page_after_sign_in(Some(ours)), ours);
        }
        for strange in [
            "//evil.example/",
            "/\\evil.example",
            "\\/evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
            "evil.example",
            "review",
            "",
            " /review",
            "/./\\evil.example",
            "/.//evil.example",
            "/x/..//evil.example",
            "/login",
            "/login?to=/login",
            "/r\u{e9}view",
        ] {
            assert_eq!(page_after_sign_in(Some(strange)), "/", "{strange:?}");
        }
        assert_eq!(page_after_sign_in(Some(&format!("/{}", "x".repeat(PATH_BYTES_MAX)))), "/");
        assert_eq!(page_after_sign_in(None), "/");
    }

    #[test]
    fn the_page_that_was_asked_for_survives_the_way() {
        assert_eq!(to_sign_in("/review?a=b&c=d"), "/login?to=%2Freview%3Fa%3Db%26c%3Dd");
        assert_eq!(to_sign_in("/"), "/login");
        assert_eq!(to_sign_in("//evil.example"), "/login");
    }
}
