import BelfryModel
import BelfryStore

extension ServerKeys {
    /// The state of an installation that is linked to the device's contact.
    func state(of device: DeviceRow) -> String {
        ClientStateHeader(
            device: device.id, contact: device.contact ?? 0, epoch: device.epoch, generation: device.linkGeneration
        ).signed(for: device.client.canonical, with: self)
    }

    /// The state in the response to a caller that may not have proven a link to the device's contact. Then the state
    /// proves no more than the caller has shown, but has the present epoch of orders (ID-10). A caller who has left
    /// gets a state that proves no contact.
    func state(of device: DeviceRow, for caller: Caller) -> String {
        let contact: Int64
        switch authLevel(of: caller, to: device) {
        case .linked: return state(of: device)
        case .installation: contact = hasLeft(caller, device) ? 0 : shownState(by: caller)?.contact ?? 0
        // The state stays the same; another one would not show that it is from before the first link.
        case .unlinked: return caller.state ?? ""
        case .unauthenticated: contact = 0
        }
        let isOfDevice = contact > 0 || device.contact == nil
        return ClientStateHeader(
            device: device.id, contact: contact, epoch: device.epoch,
            generation: isOfDevice ? device.linkGeneration : 0
        ).signed(for: device.client.canonical, with: self)
    }

    /// The state for a caller whose token was checked.
    func state(of link: DeviceLink, client: DeviceID) -> String {
        ClientStateHeader(link).signed(for: client.canonical, with: self)
    }

    /// The devices that a caller's state and token name, even if those no longer count.
    func devices(shownBy caller: Caller) -> [Int64] {
        let (state, token) = (shownState(by: caller)?.device, shownToken(of: caller)?.device)
        return [state, token == state ? nil : token].compactMap(\.self)
    }

    /// How much the caller proves to a device that its id names.
    func authLevel(of caller: Caller, to device: DeviceRow) -> CallerAuthLevel {
        if vouches(caller, for: device) { return .linked }
        guard let state = shownState(by: caller), state.isOf(device) else { return .unauthenticated }
        if device.applied?.formerContacts?.contains(state.contact) == true { return .installation }
        // Nobody has used a link since, so the caller can take nothing from anybody.
        return state.contact == 0 && device.confirmedGeneration <= state.generation ? .unlinked : .unauthenticated
    }

    /// Whether the caller only shows a state from before a link that has been used since. It may be the person who was
    /// linked then, and gets no access (SEC-10). The installation itself has got newer states since; if it has lost
    /// them, it begins again.
    func hasLeft(_ caller: Caller, _ device: DeviceRow) -> Bool {
        guard authLevel(of: caller, to: device) == .installation, let state = shownState(by: caller) else {
            return false
        }
        // While nobody has used the last link, its response may be lost, and the state from before is the client's
        // newest.
        guard device.confirmedGeneration >= device.orderEpoch else {
            return state.generation < device.confirmedGeneration
        }
        // A state of the present epoch was renewed by a response before that use, unless a registration has changed the
        // contact within the epoch.
        return state.generation < device.orderEpoch || device.contactOrder.generation < device.orderEpoch
    }

    /// Whether the caller proves by state or token that it is the installation linked to the device's contact.
    func vouches(_ caller: Caller, for device: DeviceRow) -> Bool {
        if let state = shownState(by: caller), state.isOf(device),
            state.contact == device.contact ?? 0 || device.applied?.mergedContacts?.contains(state.contact) == true
        {
            return true
        }
        guard let token = shownToken(of: caller) else { return false }
        // The token counts if no newer link has ended it.
        return token.device == device.id && device.link.accepts(tokensOf: token.generation)
    }

    /// The newer link generation of the caller's state and token. Nil when neither shows one (ID-10).
    func generation(shownBy caller: Caller, to device: DeviceRow) -> Int64? {
        var shown: [Int64] = []
        if let state = shownState(by: caller), state.device == device.id, state.epoch == device.epoch,
            state.generation > 0
        {
            shown.append(state.generation)
        }
        if let token = shownToken(of: caller), token.device == device.id, token.epoch == device.epoch,
            token.generation > 0
        {
            shown.append(token.generation)
        }
        return shown.max()
    }

    private func shownState(by caller: Caller) -> ClientStateHeader? {
        ClientStateHeader(caller.state, for: caller.client.canonical, with: self)
    }

    private func shownToken(of caller: Caller) -> ContactToken? {
        guard let text = caller.token, let token = try? ContactToken(verifyingSignatureOf: text, with: self),
            token.clientID == caller.client.canonical
        else { return nil }
        return token
    }
}
