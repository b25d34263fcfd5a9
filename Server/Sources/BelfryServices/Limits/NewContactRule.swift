import BelfryStore

/// Whether a device may create one more contact through a registration, which, like a link, may name any number of
/// contacts (SEC-9). Without limits it may.
package struct NewContactRule: Sendable {
    private let limits: RequestLimits?

    package init(limits: RequestLimits? = nil) {
        self.limits = limits
    }

    func admits(_ device: DeviceRow) -> Bool {
        limits?.grantsContact(ShownInstallation(device: device.id, epoch: device.epoch)) ?? true
    }
}
