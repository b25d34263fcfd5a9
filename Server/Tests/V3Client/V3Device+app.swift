// The calls of an app to its client, and the client's reactions.
extension V3Device {
    /// The app starts: a new process, with what the last one left behind.
    package func start() async {
        await wire.close()
        memory = V3Memory()
        let isLinked = store.contactToken != nil
        if !isIOS, let token = store.localPushToken { enqueuePushToken(token) }
        enqueueInfo()
        if !isLinked, store.contactFieldValue == nil { enqueue(.call(.anonymousContact)) }
        if isLinked { enqueueInternal("app:start") }
        // iOS begins its session whether or not it has a token now.
        if isLinked || isIOS { startSession() }
        await run()
    }

    /// The app goes to the background.
    package func leave() async {
        endSession()
        await run()
    }

    /// The device changes: another version of the app, other notification settings. The client sees it at its next start.
    package func change(_ key: String, to value: JSON) {
        info = info.with(key, value)
    }

    package func goOffline() {
        isOnline = false
    }

    package func goOnline() async {
        isOnline = true
        await run()
    }

    // MARK: Contact

    /// - Returns: what became of the link; nil when it waits, or when the client saw no need for one.
    @discardableResult
    package func setContact(_ value: String, field: Int64 = 3) async -> CallOutcomeV3? {
        if store.contactFieldValue == value, isIOS || memory.contactFieldID == field { return nil }
        return await link(as: V3Identity(fieldValue: value, fieldID: field))
    }

    @discardableResult
    package func setAuthenticatedContact(openIDToken: String, field: Int64 = 3) async -> CallOutcomeV3? {
        if isIOS, memory.openIDToken == openIDToken { return nil }
        return await link(as: V3Identity(fieldID: field, openIDToken: openIDToken))
    }

    @discardableResult
    package func clearContact() async -> CallOutcomeV3? {
        let before = identity
        let isAnonymous = before.fieldValue == nil && before.openIDToken == nil
        guard store.contactToken == nil || !isAnonymous else { return nil }
        identity = V3Identity()
        if isIOS { return await submit(.call(.anonymousContact), then: .unlinked(before: before)) }
        // Android ends the session with the tokens of the one who leaves, and forgets them then.
        endSession()
        await run()
        store.contactToken = nil
        store.refreshToken = nil
        store.pushToken = nil
        store.localPushToken = nil
        let outcome = await submit(.call(.anonymousContact))
        startSession()
        await run()
        return outcome
    }

    private func link(as person: V3Identity) async -> CallOutcomeV3? {
        let before = identity
        identity = person
        let call = V3Call.contact(field: person.fieldID ?? 0, value: person.fieldValue)
        // iOS waits for the response before it changes sessions, and goes back when it is refused; Android does
        // neither.
        if isIOS { return await submit(.call(call), then: .linked(before: before)) }
        let id = enqueue(.call(call))
        restartSession()
        await run()
        return outcomes[id]
    }

    var identity: V3Identity {
        get {
            V3Identity(
                fieldValue: store.contactFieldValue, fieldID: memory.contactFieldID, openIDToken: memory.openIDToken
            )
        }
        set {
            store.contactFieldValue = newValue.fieldValue
            memory.contactFieldID = newValue.fieldID
            memory.openIDToken = newValue.openIDToken
        }
    }

    // MARK: Properties and push token

    private func enqueueInfo() {
        guard store.clientState == nil || store.deviceInfo != info else { return }
        if isIOS {
            // It counts as said before it is.
            store.deviceInfo = info
            enqueue(.call(.properties(info)))
        } else {
            enqueue(.call(.properties(info)), then: settings.isOnVendorHost ? .propertiesSaid(info) : nil)
        }
    }

    /// The push service gave the app its token, as it does at each start.
    @discardableResult
    package func setPushToken(_ token: String) async -> CallOutcomeV3? {
        store.localPushToken = token
        guard let id = enqueuePushToken(token) else { return nil }
        await run()
        return outcomes[id]
    }

    @discardableResult
    package func clearPushToken() async -> CallOutcomeV3? {
        store.localPushToken = nil
        return await submit(.call(.deletePushToken), then: .pushTokenDeleted)
    }

    /// Android compares with what the server has; iOS sends it each time.
    @discardableResult
    private func enqueuePushToken(_ token: String) -> Int? {
        guard isIOS || store.pushToken != token else { return nil }
        return enqueue(.call(.putPushToken(token)), then: .pushTokenPut(token))
    }

    // MARK: What is sent at once, outside the queue

    /// Asks for the places to watch.
    package func fetchGeofences() async -> CallOutcomeV3 {
        await send(.geofences)
    }

    package func recommendProducts() async -> CallOutcomeV3 {
        await send(.products)
    }

    package func fetchRemoteConfig() async -> CallOutcomeV3 {
        await send(.remoteConfigSignature)
    }

    /// The app was opened by a link of the vendor's. This one waits in the queue.
    @discardableResult
    package func trackDeepLink(id: String) async -> CallOutcomeV3? {
        await submit(.call(.deepLink(id: id)))
    }
}
