import BelfryModel

/// An installation, as a token or a state shows it without a look into the store. Links and new tokens leave it what it
/// is; whoever takes a device's row over, or is left with what has ended, is another one (SEC-10).
package struct ShownInstallation: Hashable, Sendable {
    /// The device's row.
    let device: Int64
    let epoch: Int64
}

/// For whom a call of the device API counts.
enum CallPayer: Hashable, Sendable {
    case installation(ShownInstallation)
    /// A call that shows no more of its device than its id, which means a device within its app only.
    case named(app: Int64, client: DeviceID)

    init(_ client: DeviceID, of app: Int64, showing installation: ShownInstallation?) {
        self = installation.map(Self.installation) ?? .named(app: app, client: client)
    }
}
