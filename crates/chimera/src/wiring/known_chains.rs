//! The chains that are known by their id: what they are called, what pays for gas there, and which contract is USDC.

/// One chain, as far as it is the same for everybody; the node is the operator's to choose.
pub struct KnownChain {
    pub id: u64,
    pub name: &'static str,
    pub native: &'static str,
    /// Circle's own contract, not a bridge's.
    pub usdc: &'static str,
    /// Room for an ordinary transfer at several times the usual price of gas.
    pub fee_per_transaction_max_wei: &'static str,
    pub fees_per_day_max_wei: &'static str,
}

pub const USDC_DECIMALS: u8 = 6;

/// For chains that are not known, and for those whose gas is as cheap: 0.002 and 0.02 of the native asset.
pub const FEE_PER_TRANSACTION_MAX_WEI: &str = "2000000000000000";
pub const FEES_PER_DAY_MAX_WEI: &str = "20000000000000000";

pub const KNOWN_CHAINS: [KnownChain; 6] = [
    KnownChain {
        id: 1,
        name: "ethereum",
        native: "ETH",
        usdc: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        fee_per_transaction_max_wei: "10000000000000000",
        fees_per_day_max_wei: "100000000000000000",
    },
    KnownChain { id: 10, name: "optimism", usdc: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", ..CHEAP_WITH_ETH },
    KnownChain {
        id: 137,
        name: "polygon",
        native: "POL",
        usdc: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
        // One POL is worth far less than one ETH, and gas costs hundreds of gwei when it is dear.
        fee_per_transaction_max_wei: "500000000000000000",
        fees_per_day_max_wei: "5000000000000000000",
    },
    KnownChain { id: 8453, name: "base", usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", ..CHEAP_WITH_ETH },
    KnownChain { id: 42161, name: "arbitrum", usdc: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", ..CHEAP_WITH_ETH },
    KnownChain { id: 84532, name: "base-sepolia", usdc: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", ..CHEAP_WITH_ETH },
];

/// What most rollups have in common.
const CHEAP_WITH_ETH: KnownChain = KnownChain {
    id: 0,
    name: "",
    native: "ETH",
    usdc: "",
    fee_per_transaction_max_wei: FEE_PER_TRANSACTION_MAX_WEI,
    fees_per_day_max_wei: FEES_PER_DAY_MAX_WEI,
};

pub fn known_chain(id: u64) -> Option<&'static KnownChain> {
    KNOWN_CHAINS.iter().find(|chain| chain.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chimera_core::domain::money::{parse_address, parse_units};

    #[test]
    fn every_address_carries_its_checksum_and_every_field_is_there() {
        for chain in &KNOWN_CHAINS {
            let address = parse_address(chain.usdc).unwrap_or_else(|error| panic!("{}: {error}", chain.name));
            assert_eq!(address.to_checksum(None), chain.usdc, "{}", chain.name);
            assert!(!chain.name.is_empty() && !chain.native.is_empty() && chain.id != 0);
            let per_transaction = parse_units(chain.fee_per_transaction_max_wei).unwrap();
            assert!(parse_units(chain.fees_per_day_max_wei).unwrap() > per_transaction, "{}", chain.name);
        }
    }

    #[test]
    fn ids_names_and_contracts_are_each_chains_own() {
        for (place, chain) in KNOWN_CHAINS.iter().enumerate() {
            for other in &KNOWN_CHAINS[place + 1..] {
                assert!(chain.id < other.id && chain.name != other.name && chain.usdc != other.usdc, "{} {}", chain.name, other.name);
            }
        }
    }
}
