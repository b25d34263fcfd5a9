/// Charges the contacts and installations that a link creates (SEC-9). A link may name any number of contacts, so the
/// device pays for those that it creates, and its address does, too. If the call proves nothing about its device, only
/// the address pays; otherwise anyone who knows an id could use up the owner's budget.
package struct LinkBudget: Sendable {
    private let limits: RequestLimits
    private let payer: CallPayer
    private let newDeviceQuota: NewDeviceQuota?
    private let contact = CountedOnce()
    private let installation = CountedOnce()

    init(limits: RequestLimits, payer: CallPayer, newDeviceQuota: NewDeviceQuota?) {
        self.limits = limits
        self.payer = payer
        self.newDeviceQuota = newDeviceQuota
    }

    /// Called before a device is created for an unauthenticated caller. If addresses are not counted, each id has a count
    /// of its own.
    func admitInstallation() throws(ServiceError) {
        if let newDeviceQuota { return try newDeviceQuota.admit() }
        try installation.once { () throws(ServiceError) in
            guard let counting = limits.counting,
                let wait = counting.installations.take(payer, now: limits.now())
            else { return }
            throw limits.limitError(
                "newInstallations",
                "A device may register as a new installation at most \(counting.rates.newInstallations.amount) times "
                    + "a minute.", wait
            )
        }
    }

    /// Called before a contact is created; a call creates at most one, and it counts once.
    func admitContact() throws(ServiceError) {
        try contact.once { () throws(ServiceError) in try countContact() }
    }

    private func countContact() throws(ServiceError) {
        guard let counting = limits.counting else { return }
        let now = limits.now()
        let pays = payer.isShown || newDeviceQuota == nil
        if pays, let wait = counting.contactsOfDevices.take(payer, now: now) {
            let rule = "A device may create at most \(counting.rates.newContactsOfDevice.words("contacts"))."
            throw limits.limitError("newContacts", rule, wait)
        }
        guard let network = newDeviceQuota?.network, let wait = counting.contacts.take(network, now: now) else {
            return
        }
        if pays { counting.contactsOfDevices.putBack(payer) }
        let rule = "An address may create at most \(counting.rates.newContacts.words("contacts"))."
        throw limits.limitError("newContactsOfAddress", rule, wait)
    }
}

extension RequestLimits {
    /// Counts a contact that an installation creates through a registration. Its address is no longer known then.
    func grantsContact(_ installation: ShownInstallation) -> Bool {
        counting?.contactsOfDevices.take(.installation(installation), now: now()) == nil
    }
}

extension CallPayer {
    fileprivate var isShown: Bool {
        if case .installation = self { true } else { false }
    }
}
