import BelfryModel
import BelfryStore

extension ServerKeys {
    /// The state that an answer carries: it vouches for the contact only towards who has shown to be this device.
    func state(of device: DeviceRow, trusted: Bool) -> String {
        ClientStateHeader(device: device.id, contact: trusted ? device.contact ?? 0 : 0, epoch: device.epoch)
            .signed(for: device.client.canonical, with: self)
    }

    /// The same for a caller whose token was checked.
    func state(of link: DeviceLink, client: DeviceID) -> String {
        ClientStateHeader(link).signed(for: client.canonical, with: self)
    }

    /// What the caller shows of itself to the row that its id names.
    func authLevel(of caller: Caller, to device: DeviceRow) -> CallerAuthLevel {
        if vouches(caller, for: device) { return .linked }
        guard let state = ClientStateHeader(caller.state, for: caller.client.canonical, with: self),
            state.device == device.id, state.epoch == device.epoch,
            device.applied?.formerContacts?.contains(state.contact) == true
        else { return .unauthenticated }
        return .installation
    }

    /// Whether the caller shows by state or token that it is the installation linked to the device's contact.
    func vouches(_ caller: Caller, for device: DeviceRow) -> Bool {
        if let state = ClientStateHeader(caller.state, for: caller.client.canonical, with: self),
            state.device == device.id, state.epoch == device.epoch,
            state.contact == device.contact ?? 0 || device.applied?.mergedContacts?.contains(state.contact) == true
        {
            return true
        }
        guard let text = caller.token, let token = try? ContactToken(verifyingSignatureOf: text, with: self) else {
            return false
        }
        return token.device == device.id && token.clientID == caller.client.canonical
            && (device.confirmedGeneration...max(device.linkGeneration, device.confirmedGeneration))
                .contains(token.generation)
    }
}
