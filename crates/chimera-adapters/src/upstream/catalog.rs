//! What a server says it serves: listed once for each connection.

use rmcp::model::PaginatedRequestParams;
use rmcp::{Peer, RoleClient};
use std::collections::{BTreeSet, HashSet};

/// A server that never stops listing is cut off, and what it listed so far counts.
const PAGES_MAX: usize = 50;
const URIS_MAX: usize = 10_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Catalog {
    pub(super) schemes: BTreeSet<String>,
    uris: HashSet<String>,
}

impl Catalog {
    pub(super) fn of_schemes(schemes: &[String]) -> Self {
        Self { schemes: schemes.iter().map(|scheme| scheme.to_ascii_lowercase()).collect(), uris: HashSet::new() }
    }

    /// A server without resources, or one that fails to list them, serves none by scheme.
    pub(super) async fn list(peer: &Peer<RoleClient>) -> Self {
        let mut catalog = Self::default();
        if peer.peer_info().is_none_or(|info| info.capabilities.resources.is_none()) {
            return catalog;
        }
        let mut cursor = None;
        for _ in 0..PAGES_MAX {
            let Ok(page) = peer.list_resources(after(cursor)).await else { break };
            for resource in page.resources {
                catalog.schemes.extend(scheme_of(&resource.uri));
                if catalog.uris.len() < URIS_MAX {
                    catalog.uris.insert(resource.uri);
                }
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let mut cursor = None;
        for _ in 0..PAGES_MAX {
            let Ok(page) = peer.list_resource_templates(after(cursor)).await else { break };
            catalog.schemes.extend(page.resource_templates.iter().filter_map(|template| scheme_of(&template.uri_template)));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        catalog
    }

    pub(super) fn lists(&self, uri: &str) -> bool {
        self.uris.contains(uri)
    }
}

/// Lower case; `None` for what has no scheme, as a template may have (`{scheme}://…`).
pub(super) fn scheme_of(uri: &str) -> Option<String> {
    let (scheme, _) = uri.split_once(':')?;
    let fits =
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    fits.then(|| scheme.to_ascii_lowercase())
}

fn after(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
}
