extension V3Device {
    @discardableResult
    package func track(_ name: String, _ attributes: [String: String] = [:]) async -> CallOutcomeV3? {
        await submit(.event(event("custom", name, attributes.mapValues { JSON.text($0) })))
    }

    /// An event that came to the client in an odd shape, as from the page of an in-app message.
    @discardableResult
    package func track(raw event: JSON) async -> CallOutcomeV3? {
        await submit(.event(event))
    }

    // MARK: In-app messages

    /// The app does not want to be disturbed; the client remembers it until it is killed.
    package func pauseInApp() {
        memory.isInAppPaused = true
    }

    package func resumeInApp() {
        memory.isInAppPaused = false
    }

    /// An in-app message became visible.
    @discardableResult
    package func show(campaign: String) async -> CallOutcomeV3? {
        store.viewedMessages.append(["campaignId": .text(campaign), "timestamp": .text(environment.timestamp)])
        return await submit(.event(event("internal", "inapp:viewed", ["campaignId": .text(campaign)])))
    }

    /// A button of an in-app message was pressed.
    @discardableResult
    package func press(_ button: String, campaign: String) async -> CallOutcomeV3? {
        store.clicks.append([
            "campaignId": .text(campaign), "buttonId": .text(button), "timestamp": .text(environment.timestamp),
        ])
        let attributes: [String: JSON] = ["campaignId": .text(campaign), "buttonId": .text(button)]
        return await submit(.event(event("internal", "inapp:click", attributes)))
    }

    // MARK: Sessions

    func startSession() {
        memory.session = .init(id: environment.uuid(), start: environment.milliseconds)
        enqueueInternal("session:start")
    }

    func endSession() {
        guard let session = memory.session else { return }
        enqueueInternal("session:end", ["duration": .text("\(environment.milliseconds - session.start)")])
        memory.session = nil
    }

    func restartSession() {
        endSession()
        startSession()
    }

    /// An event of the client's own.
    @discardableResult
    func trackInternal(_ name: String, _ attributes: [String: JSON]) async -> CallOutcomeV3? {
        await submit(.event(event("internal", name, attributes)))
    }

    func enqueueInternal(_ name: String, _ attributes: [String: JSON]? = nil) {
        enqueue(.event(event("internal", name, attributes)))
    }

    /// Empty attributes stay an empty object on iOS; Android leaves them out.
    private func event(_ type: String, _ name: String, _ attributes: [String: JSON]?) -> JSON {
        var members: [String: JSON] = [
            "type": .text(type), "name": .text(name), "timestamp": .text(environment.timestamp),
        ]
        if let attributes, isIOS || !attributes.isEmpty { members["attributes"] = .object(attributes) }
        if let session = memory.session { members["sessionId"] = .text(session.id) }
        return .object(members)
    }
}
