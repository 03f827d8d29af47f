//! OAuth 1.0a: a signature over each request, with keys that do not expire. X's other tokens of a user last two hours.

use super::super::config::XKeys;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chimera_core::domain::percent::encoded;
use ring::hmac;
use url::Url;

/// What makes one signature differ from the next.
pub(super) struct Moment {
    pub nonce: String,
    pub unix_seconds: i64,
}

/// The `Authorization` header. `query` is what the address will carry; a JSON body is not signed.
pub(super) fn authorization(keys: &XKeys, method: &str, address: &Url, query: &[(&str, &str)], moment: &Moment) -> String {
    let timestamp = moment.unix_seconds.to_string();
    let own = [
        ("oauth_consumer_key", keys.api_key.expose()),
        ("oauth_nonce", moment.nonce.as_str()),
        ("oauth_signature_method", "HMAC-SHA1"),
        ("oauth_timestamp", timestamp.as_str()),
        ("oauth_token", keys.access_token.expose()),
        ("oauth_version", "1.0"),
    ];
    let signature = signature(keys, method, address, own.iter().chain(query));
    let fields: Vec<String> = own.iter().map(|(name, value)| format!("{name}=\"{}\"", encoded(value))).collect();
    format!("OAuth {}, oauth_signature=\"{}\"", fields.join(", "), encoded(&signature))
}

fn signature<'a>(keys: &XKeys, method: &str, address: &Url, parameters: impl Iterator<Item = &'a (&'a str, &'a str)>) -> String {
    let mut parameters: Vec<(String, String)> = parameters.map(|(name, value)| (encoded(name), encoded(value))).collect();
    parameters.sort_unstable();
    let parameters: Vec<String> = parameters.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    let text = format!("{method}&{}&{}", encoded(address.as_str()), encoded(&parameters.join("&")));
    let key = format!("{}&{}", encoded(keys.api_secret.expose()), encoded(keys.access_token_secret.expose()));
    // The protocol knows no other hash that X takes; as a keyed signature it still holds.
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, zeroize::Zeroizing::new(key).as_bytes());
    STANDARD.encode(hmac::sign(&key, text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::super::config::Secret;
    use super::*;

    /// The example that the platform's own guide works through.
    #[test]
    fn the_documented_request_gets_the_documented_signature() {
        let secret = |text: &str| Secret::new(zeroize::Zeroizing::new(text.to_owned()));
        let keys = XKeys {
            api_key: secret("xvz1evFS4wEEPTGEFPHBog"),
            api_secret: secret("kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw"),
            access_token: secret("370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"),
            access_token_secret: secret("LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"),
        };
        let address = Url::parse("https://api.twitter.com/1/statuses/update.json").unwrap();
        let query = [("status", "Hello Ladies + Gentlemen, a signed OAuth request!"), ("include_entities", "true")];
        let moment = Moment { nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg".to_owned(), unix_seconds: 1_318_622_958 };

        let header = authorization(&keys, "POST", &address, &query, &moment);

        assert!(header.starts_with("OAuth oauth_consumer_key=\"xvz1evFS4wEEPTGEFPHBog\", oauth_nonce="), "{header}");
        assert!(header.ends_with("oauth_version=\"1.0\", oauth_signature=\"tnnArxj06cWHq44gCs1OSKk%2FjLY%3D\""), "{header}");
        assert!(
            !header.contains("kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw")
                && !header.contains("LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE")
        );
    }
}
