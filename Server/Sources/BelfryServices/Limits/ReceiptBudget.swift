import BelfryStore

/// Whether a receipt may name what was rejected. Its bytes are stored like those of the body, and count like them for
/// the device and its app (SEC-9). Without limits it always may.
package struct ReceiptBudget: Sendable {
    private let limits: RequestLimits?

    package init(limits: RequestLimits? = nil) {
        self.limits = limits
    }

    func grants(bytes: Int, to device: DeviceRow) -> Bool {
        guard let limits, let counting = limits.counting else { return true }
        let installation = ShownInstallation(device: device.id, epoch: device.epoch)
        let payers: [UploadPayer] = [.device(.installation(installation)), .app(device.app)]
        return counting.bytes.take(bytes, from: payers, now: limits.now()) == nil
    }
}

/// Whether a device may create one more contact by a registration. Like a link, a registration may name any number of
/// contacts (SEC-9). Without limits it always may.
package struct NewContactRule: Sendable {
    private let limits: RequestLimits?

    package init(limits: RequestLimits? = nil) {
        self.limits = limits
    }

    func admits(_ device: DeviceRow) -> Bool {
        limits?.grantsContact(ShownInstallation(device: device.id, epoch: device.epoch)) ?? true
    }
}
