/// The phone's connection to the push service: the app's token, and what comes for it.
actor PhonePushConnection {
    private let service: any PhonePushService
    private let hear: @Sendable (PushServiceNews, _ token: String) async -> Void
    private var issued: String?
    /// The number of the last push that came for the token before the phones' program was started anew.
    private var newest: Int
    private var listening: Task<Void, Never>?
    private var isOver = false

    /// - Parameters:
    ///   - token: the one that the app has already.
    ///   - newest: the number of the last push that has come for it.
    ///   - hear: gets the news of a token, one after the other.
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

    /// The app's token: the one that it has, or a new one. Nothing is heard of it before ``listen()``.
    ///
    /// - Throws: when the connection has ended meanwhile: nobody would hear what comes for a token.
    func token() async throws -> String {
        if let issued { return issued }
        let token = try await service.issueToken()
        guard !isOver else { throw PhoneActionError.off }
        // Another caller was quicker.
        if let issued { return issued }
        issued = token
        newest = 0
        listening = nil
        return token
    }

    /// Hears what comes for the token that the app has, if it has one.
    func listen() {
        guard let token = issued, listening == nil, !isOver else { return }
        listening = Task { [service, hear, newest] in
            for await news in await service.news(for: token, after: newest) {
                if news == .tokenUnknown { self.forget(token) }
                await hear(news, token)
            }
        }
    }

    /// The push service rejects the token from now on; nobody tells the app or the server. Until it has said so, the
    /// phone hears what comes for the token: it may not have been reached.
    ///
    /// - Returns: the token that is lost; nil when there was none, or another one has come meanwhile.
    func lose() async throws -> String? {
        guard let token = issued else { return nil }
        try await service.retire(token)
        guard issued == token else { return nil }
        drop()
        return token
    }

    /// The app is gone, and nothing is heard of its token any more, whether the push service knows it or not.
    func drop() {
        issued = nil
        listening?.cancel()
        listening = nil
    }

    /// Nothing is heard any more, and no other token is given.
    func end() {
        isOver = true
        drop()
    }

    private func forget(_ token: String) {
        if issued == token { issued = nil }
    }
}
