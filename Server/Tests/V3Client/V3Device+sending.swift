extension V3Device {
    /// Renewals of the contact token for one call, before it is given up.
    private static let refreshRounds = 3
    private static let refreshPause = Duration.milliseconds(500)

    /// Sends what waits, one after the other, until nothing does or a call must be kept.
    func run() async {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while isOnline, let batch = store.queue.next(mergesEvents: settings.mergesEvents) {
            let outcome = await send(call(for: batch))
            if case .kept = outcome { return }
            store.queue.remove(batch.ids)
            for id in batch.ids { finish(id, outcome) }
        }
    }

    /// - Returns: what became of the call; nil as long as it waits.
    @discardableResult
    func submit(_ content: V3Queue.Content, then completion: V3Completion? = nil) async -> CallOutcomeV3? {
        let id = enqueue(content, then: completion)
        await run()
        return outcomes[id]
    }

    @discardableResult
    func enqueue(_ content: V3Queue.Content, then completion: V3Completion? = nil) -> Int {
        let id = store.queue.append(content)
        completions[id] = completion
        return id
    }

    private func call(for batch: V3Queue.Batch) -> V3Call {
        switch batch {
        case .call(_, let call): call
        case .events(_, let events) where !settings.mergesEvents:
            .events(V3Call.Composite(events: events, viewedMessages: [], clicks: [], isInAppPaused: false))
        case .events(_, let events):
            .events(
                V3Call.Composite(
                    events: events, viewedMessages: store.viewedMessages, clicks: store.clicks,
                    isInAppPaused: memory.isInAppPaused
                )
            )
        }
    }

    /// Sends one call; a 401 is met by a new token and the same call again.
    func send(_ call: V3Call) async -> CallOutcomeV3 {
        for round in 0...Self.refreshRounds {
            guard let answer = await exchange(call) else { return .kept(nil) }
            guard answer.status == 401 else { return CallOutcomeV3(status: answer.status) }
            // The app's next push token is sent again, even if it is the same.
            store.pushToken = nil
            if round == Self.refreshRounds { break }
            if let end = await refresh() { return end }
            await environment.pause(Self.refreshPause)
        }
        return .dropped(418)
    }

    /// Renews the contact token, outside the queue.
    ///
    /// - Returns: what becomes of the call that needed it, if that failed.
    private func refresh() async -> CallOutcomeV3? {
        // Without a refresh token iOS gives up; Android asks all the same.
        if isIOS, store.refreshToken == nil { return .dropped(401) }
        guard let answer = await exchange(.refresh) else { return isIOS ? .dropped(418) : .kept(nil) }
        return answer.isSuccess ? nil : .dropped(418)
    }

    private func exchange(_ call: V3Call) async -> V3Response? {
        let request = RequestWriting(settings: settings, store: store, memory: memory, order: environment.milliseconds)
            .request(for: call)
        do {
            let answer = try await wire.answer(to: request)
            exchanges.append(V3Exchange(chapter: chapter, request: request, answer: answer, fault: nil))
            store.take(answer, to: call, settings: settings)
            memory.take(answer, flavour: settings.flavour)
            complaints += answer.complaints(about: call).map { "\(request.line): \($0)" }
            return answer
        } catch {
            exchanges.append(V3Exchange(chapter: chapter, request: request, answer: nil, fault: "\(error)"))
            return nil
        }
    }

    private func finish(_ id: Int, _ outcome: CallOutcomeV3) {
        outcomes[id] = outcome
        guard let completion = completions.removeValue(forKey: id) else { return }
        guard case .accepted = outcome else { return undo(completion) }
        switch completion {
        case .propertiesSaid(let info): store.deviceInfo = info
        case .pushTokenPut(let token): store.pushToken = token
        case .pushTokenDeleted: store.pushToken = nil
        case .linked: restartSession()
        case .unlinked:
            store.pushToken = nil
            restartSession()
        }
    }

    private func undo(_ completion: V3Completion) {
        switch completion {
        case .linked(let before), .unlinked(let before): identity = before
        case .propertiesSaid, .pushTokenPut, .pushTokenDeleted: break
        }
    }
}
