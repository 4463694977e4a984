//! The devices of an engine, opened when they are first wanted.

use super::config::EngineConfig;
use super::errors::plain;
use crate::error::Result;
use nestled_devices::{Commons, Devices};
use nestled_ir::interp::Interrupt;
use nestled_ir::value::Value;
use nestled_ir::{Program, ScalarType};
use nestled_rt::{Executable, Handle};
use std::rc::Rc;

pub(super) struct OpenDevices {
    config: EngineConfig,
    commons: Commons,
    pub interrupt: Interrupt,
    devices: Option<Devices>,
    /// For each device that was copied to a program that does nothing but that.
    porters: Vec<Executable>,
}

impl OpenDevices {
    pub fn new(config: &EngineConfig, commons: &Commons, interrupt: &Interrupt) -> OpenDevices {
        let (config, commons, interrupt) = (config.clone(), commons.clone(), interrupt.clone());
        OpenDevices { config, commons, interrupt, devices: None, porters: Vec::new() }
    }

    /// The devices.
    pub fn devices(&mut self) -> Result<&Devices> {
        if self.devices.is_none() {
            self.devices = Some(self.config.devices(&self.commons, &self.interrupt)?);
        }
        Ok(self.devices.as_ref().unwrap_or_else(|| unreachable!("they were just found")))
    }

    /// The devices, if they were found.
    pub fn known(&self) -> Option<&Devices> {
        self.devices.as_ref()
    }

    /// Copies a value to the best device for its elements.
    pub fn put(&mut self, elem: ScalarType, value: &Value) -> Result<Handle> {
        let porter = self.porter(elem)?;
        let mut handles = porter.put(std::slice::from_ref(value)).map_err(|error| plain(&error))?;
        Ok(handles.remove(0))
    }

    /// What copies to the best device for some elements.
    pub fn porter(&mut self, elem: ScalarType) -> Result<&Executable> {
        let fit = self.devices()?.for_elements(elem).map_err(|error| plain(&error.into()))?;
        let device = fit.opened.device();
        let known = self.porters.iter().position(|porter| Rc::ptr_eq(porter.device(), &device));
        let at = match known {
            Some(at) => at,
            None => {
                let porter = Executable::new(&Program::default(), device).map_err(|error| plain(&error))?;
                self.porters.push(porter);
                self.porters.len() - 1
            }
        };
        Ok(&self.porters[at])
    }
}
