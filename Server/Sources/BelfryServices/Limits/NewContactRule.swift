import BelfryStore

/// Whether a device may make one more contact by a registration, which names contacts without end as links do (SEC-9).
/// Without limits it may.
package struct NewContactRule: Sendable {
    private let limits: RequestLimits?

    package init(limits: RequestLimits? = nil) {
        self.limits = limits
    }

    func admits(_ device: DeviceRow) -> Bool {
        limits?.grantsContact(ShownInstallation(device: device.id, epoch: device.epoch)) ?? true
    }
}
