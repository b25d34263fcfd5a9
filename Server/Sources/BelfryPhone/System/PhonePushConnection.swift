/// The phone's connection to the push service: the app's token, and the pushes for it.
actor PhonePushConnection {
    private let service: any PhonePushService
    private let hear: @Sendable (PushServiceNews, _ token: String) async -> Void
    private var issued: String?
    /// The number of the last push for the token before the phones' program restarted.
    private var newest: Int
    private var listening: Task<Void, Never>?
    private var isOver = false

    /// - Parameters:
    ///   - token: the app's present token, if it has one.
    ///   - newest: the number of the last push that has arrived for the token.
    ///   - hear: receives the news of a token, one after the other.
    init(
        service: any PhonePushService, token: String? = nil, after newest: Int = 0,
        hear: @escaping @Sendable (PushServiceNews, _ token: String) async -> Void
    ) {
        self.service = service
        self.hear = hear
        self.newest = newest
        issued = token
    }

    var hasToken: Bool { issued != nil }

    /// The app's present token, or a new one. Its pushes are received only after ``listen()``.
    ///
    /// - Throws: ``PhoneActionError`` when the connection has ended meanwhile, since nobody would receive the token's
    ///   pushes.
    func token() async throws -> String {
        if let issued { return issued }
        let token = try await service.issueToken()
        guard !isOver else { throw PhoneActionError.off }
        // Another call was faster.
        if let issued { return issued }
        issued = token
        newest = 0
        listening = nil
        return token
    }

    /// Receives the pushes for the app's present token, if there is one.
    func listen() {
        guard let token = issued, listening == nil, !isOver else { return }
        listening = Task { [service, hear, newest] in
            for await news in await service.news(for: token, after: newest) {
                if news == .tokenUnknown { self.forget(token) }
                await hear(news, token)
            }
        }
    }

    /// Makes the push service reject the token; neither the app nor the server is told. Pushes are received until the
    /// push service has confirmed this, because the request may not reach it.
    ///
    /// - Returns: the lost token; nil when there was none, or it was replaced meanwhile.
    func lose() async throws -> String? {
        guard let token = issued else { return nil }
        try await service.retire(token)
        guard issued == token else { return nil }
        drop()
        return token
    }

    /// Forgets the token of a deleted app. Its pushes are no longer received, even if the push service does not know
    /// yet.
    func drop() {
        issued = nil
        listening?.cancel()
        listening = nil
    }

    /// Ends the connection: no pushes are received, and no token is issued.
    func end() {
        isOver = true
        drop()
    }

    private func forget(_ token: String) {
        if issued == token { issued = nil }
    }
}
