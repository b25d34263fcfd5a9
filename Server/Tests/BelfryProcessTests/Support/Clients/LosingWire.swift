import V3Client

/// Loses answers: the server did what it was asked, and the client never learns of it.
actor LosingWire: V3Wire {
    private let wire: any V3Wire
    private var losses = 0

    init(_ wire: any V3Wire) {
        self.wire = wire
    }

    /// Loses so many of the next answers.
    func lose(_ count: Int) {
        losses = count
    }

    func answer(to request: V3Request) async throws -> V3Response {
        let answer = try await wire.answer(to: request)
        guard losses > 0 else { return answer }
        losses -= 1
        await wire.close()
        throw ResponseLost()
    }

    func close() async {
        await wire.close()
    }
}

struct ResponseLost: Error {}
