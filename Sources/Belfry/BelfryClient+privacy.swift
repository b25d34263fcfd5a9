// What the person allows, and what the device forgets (REG-36).
extension BelfryClient {
    /// Whether events are recorded; by default they are. Call it before ``start(afterErasure:)`` when the person was
    /// not asked yet.
    ///
    /// A no stops all events, tracked ones and the SDK's own, and removes those that wait before it returns; a batch that
    /// is on its way at that moment may still arrive. Calls that record return as usual. The contact record is still
    /// registered and pushes still come and are shown: who does not want those sets `record.setPushEnabled(false)`, or
    /// logs out.
    ///
    /// The choice is stored, and outlasts ``wipe()``.
    public func setTrackingEnabled(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.setTrackingEnabled(isEnabled)
    }

    /// Forgets everything on this device before it returns: queue, contact record, tokens, identity, the pushes seen,
    /// those that the system still shows, and the installation's id. Only a no to ``setTrackingEnabled(_:)`` stays.
    ///
    /// Then the client rests: it takes, records and sends nothing, setters are refused with the code `wiped`, and its
    /// pushes are dropped. ``start(afterErasure:)`` makes it a new installation; what the app said before, such as the
    /// contact and the push token, is to be said again.
    ///
    /// The server is not told: it keeps what it has, and pushes for the former installation until the new one registers
    /// the push token. Log out and `flush()` first where that matters.
    public func wipe() async throws(BelfryError) {
        try await engine.wipe()
    }
}
