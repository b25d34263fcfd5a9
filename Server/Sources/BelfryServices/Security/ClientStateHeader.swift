import BelfryStore

/// `X-Client-State` (WIRE-20): vouches that its bearer is the installation that was linked to a contact.
struct ClientStateHeader: Hashable, Sendable {
    let device: Int64
    /// 0 when it vouches for no contact.
    let contact: Int64
    /// Of the installation that it was given to: a revocation and a new installation end it (SEC-10).
    let epoch: Int64
    /// What its bearer said of the system's permission when it showed nothing of itself: that changed nothing then, and
    /// counts when its link begins a new installation (REG-22). A client says it once.
    let osPushEnabled: Bool?

    func signed(for clientID: String, with keys: ServerKeys) -> String {
        guard let osPushEnabled else {
            return SignedValue.make([device, contact], epoch: epoch, for: clientID, key: keys.clientState)
        }
        return SignedValue.make(
            [device, contact, epoch, osPushEnabled ? 1 : 0], for: clientID, key: keys.clientState
        )
    }

    init(device: Int64, contact: Int64, epoch: Int64, osPushEnabled: Bool? = nil) {
        self.device = device
        self.contact = contact
        self.epoch = epoch
        self.osPushEnabled = osPushEnabled
    }

    /// What the device is told of its link.
    init(_ link: DeviceLink) {
        self.init(device: link.id, contact: link.contact ?? 0, epoch: link.epoch)
    }

    init?(_ text: String?, for clientID: String, with keys: ServerKeys) {
        if let said = SignedValue.read(text, count: 4, for: clientID, key: keys.clientState) {
            self.init(device: said[0], contact: said[1], epoch: said[2], osPushEnabled: said[3] == 1)
            return
        }
        guard
            let (numbers, epoch) = SignedValue.read(
                text, count: 2, withEpochFor: clientID, key: keys.clientState
            )
        else { return nil }
        self.init(device: numbers[0], contact: numbers[1], epoch: epoch)
    }
}
