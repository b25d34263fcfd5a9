/// The bells between the services of one server.
package struct WorkBells: Sendable {
    /// Registrations were received.
    package let registrations = WakeUp()
    /// A campaign was launched or changed.
    package let campaigns = WakeUp()
    /// An in-app campaign was launched or changed, or a device owes itself a silent push.
    package let silentPushes = WakeUp()

    package init() {}
}
