/// The phone's connection to the push service: the app's token, and what comes for it.
actor PushConnection {
    private let service: any PhonePushService
    private let hear: @Sendable (PushServiceNews) async -> Void
    private var issued: String?
    private var listening: Task<Void, Never>?
    private var isOver = false

    /// - Parameter hear: gets the news, one after the other.
    init(service: any PhonePushService, hear: @escaping @Sendable (PushServiceNews) async -> Void) {
        self.service = service
        self.hear = hear
    }

    var hasToken: Bool { issued != nil }

    /// The app's token: the one that it has, or a new one.
    ///
    /// - Returns: the token, and whether it is new.
    /// - Throws: when the connection has ended meanwhile: nobody would hear what comes for a token.
    func token() async throws -> (token: String, isNew: Bool) {
        if let issued { return (issued, false) }
        let token = try await service.issueToken()
        guard !isOver else { throw PhoneActionError.off }
        // Another caller was quicker.
        if let issued { return (issued, false) }
        issued = token
        listening = Task { [service, hear] in
            for await news in await service.news(for: token) {
                if news == .tokenUnknown { self.forget(token) }
                await hear(news)
            }
        }
        return (token, true)
    }

    /// The push service rejects the token from now on; nobody tells the app or the server. Until it has said so, the
    /// phone hears what comes for the token: it may not have been reached.
    ///
    /// - Returns: false when there was none.
    func lose() async throws -> Bool {
        guard let token = issued else { return false }
        try await service.retire(token)
        if issued == token { drop() }
        return true
    }

    /// Nothing is heard any more, and no other token is given.
    func end() {
        isOver = true
        drop()
    }

    private func drop() {
        issued = nil
        listening?.cancel()
        listening = nil
    }

    private func forget(_ token: String) {
        if issued == token { issued = nil }
    }
}
