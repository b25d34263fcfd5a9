/// The bells between the services of one server.
package struct ServiceSignals: Sendable {
    /// Registrations were received.
    package let registrations = AsyncSignal()
    /// A campaign was launched or changed.
    package let campaigns = AsyncSignal()
    /// An in-app campaign was launched or changed, or a device owes itself a silent push.
    package let silentPushes = AsyncSignal()
    /// Somebody has asked for a rehearsal.
    package let rehearsals = AsyncSignal()

    package init() {}
}
