//! Who texts are judged as. Reading a SOUL costs more than judging a text, so each version of one is read once.

use crate::{
    contracts::task::AgentTask,
    domain::{AgentId, Soul},
    policy::publication::Persona,
    ports::{
        StoreError,
        agents::{AgentRecord, Agents},
    },
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

/// Who an agent's texts are judged as; or why nobody can say, in which case a person decides.
pub type JudgedAs = Result<Arc<Persona>, String>;

/// More than a fleet has agents; one that has more reads its SOULs again now and then.
const KEPT_MAX: usize = 10_000;

/// SOULs that were read, by their versions.
#[derive(Default)]
pub struct Personas(Mutex<HashMap<String, ReadSoul>>);

/// A SOUL, and the persona of tasks that ask for nothing beyond it.
type ReadSoul = Result<Arc<(Soul, Arc<Persona>)>, String>;

impl Personas {
    /// Those of the agents of `tasks`, by id.
    pub(in crate::swarm) async fn of<'a>(
        &self,
        agents: &dyn Agents,
        tasks: impl Iterator<Item = &'a AgentTask>,
    ) -> Result<AgentPersonas, StoreError> {
        let ids: BTreeSet<&str> = tasks.map(|task| task.context.agent_id.as_str()).collect();
        let ids: Vec<AgentId> = ids.into_iter().filter_map(|id| id.parse().ok()).collect();
        let found = agents.find_all(&ids).await?;
        Ok(AgentPersonas(found.iter().map(|agent| (agent.id.clone(), self.read(agent))).collect()))
    }

    fn read(&self, agent: &AgentRecord) -> ReadSoul {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(soul) = kept.get(&agent.soul_version) {
            return soul.clone();
        }
        if kept.len() >= KEPT_MAX {
            kept.clear();
        }
        kept.entry(agent.soul_version.clone()).or_insert_with(|| read(agent)).clone()
    }
}

/// Whose text is judged, and what it is held to; or why nobody can say.
pub(in crate::swarm) type Judging = Result<(Arc<(Soul, Arc<Persona>)>, Arc<Persona>), String>;

/// The SOULs of some agents.
pub(in crate::swarm) struct AgentPersonas(BTreeMap<AgentId, ReadSoul>);

impl AgentPersonas {
    pub(in crate::swarm) fn of(&self, task: &AgentTask) -> Judging {
        let soul = self.0.get(&parsed(task)?).cloned().unwrap_or_else(|| Err(unknown(task)))?;
        let persona = for_task(&soul, task);
        Ok((soul, persona))
    }
}

/// The persona of one task.
pub async fn persona_of(agents: &dyn Agents, task: &AgentTask) -> Result<JudgedAs, StoreError> {
    let id = match parsed(task) {
        Ok(id) => id,
        Err(why) => return Ok(Err(why)),
    };
    let agent = agents.find(&id).await?.ok_or_else(|| unknown(task));
    Ok(agent.and_then(|agent| read(&agent)).map(|soul| for_task(&soul, task)))
}

fn parsed(task: &AgentTask) -> Result<AgentId, String> {
    let id = &task.context.agent_id;
    id.parse().map_err(|_| format!("{id:?} is not an agent's id"))
}

fn unknown(task: &AgentTask) -> String {
    format!("there is no agent {}", task.context.agent_id)
}

/// What its agent's SOUL asks for, and what the task asks for beyond it.
fn for_task(soul: &(Soul, Arc<Persona>), task: &AgentTask) -> Arc<Persona> {
    let (soul, persona) = soul;
    let constraints = &task.context.persona_constraints;
    let asks_for_more = constraints.iter().any(|constraint| !soul.directives.contains(constraint));
    if asks_for_more { Arc::new(Persona::new(soul, constraints)) } else { Arc::clone(persona) }
}

fn read(agent: &AgentRecord) -> ReadSoul {
    let soul = Soul::parse(&agent.soul_source).map_err(|error| format!("the SOUL of {} cannot be used: {error}", agent.id))?;
    let persona = Arc::new(Persona::new(&soul, &[]));
    Ok(Arc::new((soul, persona)))
}
