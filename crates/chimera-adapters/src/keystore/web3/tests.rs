use super::*;
use serde_json::{Value, json};

const KEY: [u8; 32] = [0x42; 32];
const PASSPHRASE: &str = "testpassword";
/// From the definition of the format, one for each way of stretching.
const PUBLISHED_KEY: &str = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";

fn key(bytes: &[u8; 32]) -> Secret {
    Secret::filled(|place| {
        place.copy_from_slice(bytes);
        Ok::<(), ()>(())
    })
    .unwrap()
}

/// A file as other programs write it, with parameters that cost nothing.
fn cheap_file(plain: &[u8]) -> Value {
    let (salt, iv) = ([1u8; 32], [2u8; 16]);
    let stretched = secret::scrypt(PASSPHRASE, &salt, ScryptCost { log_n: 1, r: 8, p: 1 }).unwrap();
    let mut ciphertext = plain.to_vec();
    apply_cipher(&stretched, &iv, &mut ciphertext).unwrap();
    json!({
        "version": 3,
        "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6",
        "x-made-by": "somebody",
        "crypto": {
            "cipher": "aes-128-ctr",
            "cipherparams": { "iv": hex::encode(iv) },
            "ciphertext": hex::encode(&ciphertext),
            "kdf": "scrypt",
            "kdfparams": { "dklen": 32, "n": 2, "r": 8, "p": 1, "salt": hex::encode(salt) },
            "mac": hex::encode(mac(&stretched, &ciphertext)),
        },
    })
}

/// `file` with the field at `pointer` changed, or added.
fn with(mut file: Value, pointer: &str, value: Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    file.pointer_mut(parent).unwrap()[field] = value;
    file
}

#[test]
fn the_published_files_open_to_the_published_key() {
    let published = [
        json!({ "kdf": "scrypt",
            "kdfparams": { "dklen": 32, "n": 262144, "r": 1, "p": 8,
                "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19" },
            "cipher": "aes-128-ctr", "cipherparams": { "iv": "83dbcc02d8ccb40e466191a123791e0e" },
            "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
            "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097" }),
        json!({ "kdf": "pbkdf2",
            "kdfparams": { "c": 262144, "dklen": 32, "prf": "hmac-sha256",
                "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd" },
            "cipher": "aes-128-ctr", "cipherparams": { "iv": "6087dab2f9fdbbfaddc31a909735c1e6" },
            "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
            "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2" }),
    ];
    for crypto in published {
        let file = json!({ "crypto": crypto, "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6", "version": 3 });
        let (opened, _) = open(&file.to_string(), PASSPHRASE).unwrap();
        assert_eq!(hex::encode(opened.bytes()), PUBLISHED_KEY, "{file}");
    }
}

#[test]
fn what_is_sealed_opens_again_and_is_as_geth_writes_it() {
    let address = super::super::address_of(&key(&KEY)).unwrap();

    let text = seal(&key(&KEY), address, "open sesame").unwrap();

    let (opened, of) = open(&text, "open sesame").unwrap();
    assert_eq!((opened.bytes(), of), (&KEY, address));
    assert!(matches!(open(&text, "open sesame "), Err(Web3Error::NotOpened)));
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["version"], 3);
    assert_eq!(file["address"], address.to_string()[2..].to_lowercase());
    assert_eq!(file["crypto"]["cipher"], "aes-128-ctr");
    let params = &file["crypto"]["kdfparams"];
    assert_eq!((&params["n"], &params["r"], &params["p"], &params["dklen"]), (&json!(262144), &json!(8), &json!(1), &json!(32)));
    assert!(file["id"].as_str().unwrap().parse::<uuid::Uuid>().is_ok());
    assert!(!text.contains(&hex::encode(KEY)));
}

#[test]
fn the_habits_of_other_programs_are_understood() {
    let address = super::super::address_of(&key(&KEY)).unwrap();
    let mut shouting = cheap_file(&KEY);
    shouting["Crypto"] = shouting.as_object_mut().unwrap().remove("crypto").unwrap();
    let prefixed = format!("0x{}", cheap_file(&KEY)["crypto"]["mac"].as_str().unwrap());
    for (habit, file) in [
        ("no address", cheap_file(&KEY)),
        ("an old name", shouting),
        ("0x before digits", with(cheap_file(&KEY), "/crypto/mac", json!(prefixed))),
        ("an address with 0x", with(cheap_file(&KEY), "/address", json!(address.to_string()))),
        ("an address without", with(cheap_file(&KEY), "/address", json!(hex::encode(address)))),
        ("no address, empty", with(cheap_file(&KEY), "/address", json!(""))),
        ("a longer stretched key", with(cheap_file(&KEY), "/crypto/kdfparams/dklen", json!(64))),
    ] {
        let (opened, of) = open(&file.to_string(), PASSPHRASE).unwrap_or_else(|error| panic!("{habit}: {error}"));
        assert_eq!((opened.bytes(), of), (&KEY, address), "{habit}");
    }
    let mut with_zeros = KEY;
    with_zeros[..2].fill(0);
    let (short, _) = open(&cheap_file(&KEY[2..]).to_string(), PASSPHRASE).unwrap();
    assert_eq!(short.bytes(), &with_zeros, "leading zeros left out");
}

#[test]
fn malformed_and_hostile_files_are_refused_without_the_work_they_ask_for() {
    let params = |field: &str, value: Value| with(cheap_file(&KEY), &format!("/crypto/kdfparams/{field}"), value);
    let pbkdf2 = |rounds: Value, prf: Value| with(with(params("c", rounds), "/crypto/kdfparams/prf", prf), "/crypto/kdf", json!("pbkdf2"));
    let table = [
        ("version 1", with(cheap_file(&KEY), "/version", json!(1)), "version is 1"),
        ("no version", with(cheap_file(&KEY), "/version", json!(null)), "not a Web3 Secret Storage file"),
        ("another cipher", with(cheap_file(&KEY), "/crypto/cipher", json!("aes-128-cbc")), "cipher is \"aes-128-cbc\""),
        ("another kdf", with(cheap_file(&KEY), "/crypto/kdf", json!("argon2")), "kdf is \"argon2\""),
        ("a short iv", with(cheap_file(&KEY), "/crypto/cipherparams/iv", json!("00")), "cipherparams.iv"),
        ("no ciphertext", with(cheap_file(&KEY), "/crypto/ciphertext", json!("")), "ciphertext"),
        ("33 bytes", cheap_file(&[1; 33]), "ciphertext"),
        ("no digits", with(cheap_file(&KEY), "/crypto/mac", json!("zz")), "mac"),
        ("another mac", with(cheap_file(&KEY), "/crypto/mac", json!("00".repeat(32))), "passphrase does not open it"),
        ("a changed key", with(cheap_file(&KEY), "/crypto/ciphertext", json!("11".repeat(32))), "passphrase does not open it"),
        ("another's address", with(cheap_file(&KEY), "/address", json!("11".repeat(20))), "holds the key of another address"),
        ("zero", cheap_file(&[0; 32]), "not a private key"),
        ("above the curve's order", cheap_file(&[0xff; 32]), "not a private key"),
        ("a salt without end", params("salt", json!("00".repeat(1025))), "kdfparams.salt"),
        ("a stretched key too short", params("dklen", json!(31)), "kdfparams.dklen is \"31\""),
        ("a stretched key too long", params("dklen", json!(65)), "kdfparams.dklen is \"65\""),
        ("n 0", params("n", json!(0)), "kdfparams.n"),
        ("n 1", params("n", json!(1)), "a power of two"),
        ("n 3", params("n", json!(3)), "a power of two"),
        ("no r", params("r", json!(null)), "kdfparams.r"),
        ("negative", params("p", json!(-1)), "not a Web3 Secret Storage file"),
        ("a gigabyte of n", params("n", json!(1u64 << 20)), "scrypt's memory"),
        ("the most n", params("n", json!(1u64 << 63)), "scrypt's memory"),
        ("the most r", params("r", json!(u64::MAX)), "scrypt's memory"),
        ("a gigabyte of p", params("p", json!(1u64 << 23)), "scrypt's memory"),
        ("minutes of p", with(params("n", json!(1u64 << 18)), "/crypto/kdfparams/p", json!(9)), "scrypt's work"),
        ("minutes of rounds", pbkdf2(json!(10_000_001), json!("hmac-sha256")), "PBKDF2's rounds"),
        ("no rounds", pbkdf2(json!(0), json!("hmac-sha256")), "kdfparams.c"),
        ("another prf", pbkdf2(json!(1), json!("hmac-sha1")), "kdfparams.prf is \"hmac-sha1\""),
    ];
    for (name, file, expected) in table {
        let error = open(&file.to_string(), PASSPHRASE).expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
}

#[test]
fn a_file_that_holds_a_bare_key_is_refused_without_repeating_it() {
    let bare = hex::encode(KEY);
    for text in [bare.clone(), format!("0x{bare}\n"), format!("\"{bare}\""), format!("[\"{bare}\"]"), format!("{{\"crypto\":\"{bare}\"}}")]
    {
        let error = open(&text, PASSPHRASE).expect_err(&text).to_string();
        assert!(!error.contains(&bare), "{error}");
        assert!(error.contains("not a Web3 Secret Storage file"), "{error}");
    }
}
