import BelfryModel

/// An installation, as a token or a state proves it without a query. Links and new tokens do not change it. A caller
/// that takes a device's row over, or only holds credentials that have ended, is another installation (SEC-10).
package struct ShownInstallation: Hashable, Sendable {
    /// The device's row.
    let device: Int64
    let epoch: Int64
}

/// The caller that a call of the device API counts for.
enum CallPayer: Hashable, Sendable {
    case installation(ShownInstallation)
    /// A call that shows only its device's id, which names a device within its app.
    case named(app: Int64, client: DeviceID)

    init(_ client: DeviceID, of app: Int64, showing installation: ShownInstallation?) {
        self = installation.map(Self.installation) ?? .named(app: app, client: client)
    }
}
