import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

extension World {
    /// A started client with message centers, which is linked to that contact and has fetched theirs.
    @discardableResult
    func startCenters(_ contact: String = "anna") async throws -> BelfryClient {
        let client = try await start()
        try await client.engine.messageCenter.setEnabled(true)
        try await client.identify(contactKey: contact)
        await client.waitUntilIdle()
        return client
    }

    /// The ids on the device, newest first.
    func listed(_ center: String = "Primary") async throws -> [String] {
        try await client.engine.messageCenter.messages(in: center).messages.map(\.id)
    }

    func centerError(_ center: String = "Primary") async throws -> MessageCenterError? {
        try await client.engine.messageCenter.messages(in: center).error
    }
}

/// The error of a call that is to fail.
func thrownCenterError(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(MessageCenterError) -> Void
) async -> MessageCenterError? {
    do throws(MessageCenterError) {
        try await body()
    } catch {
        return error
    }
    Issue.record("it did not fail", sourceLocation: sourceLocation)
    return nil
}

/// A push of ours with what it says for message centers and the badge.
func centerPush(_ sid: String, sync: Bool = false, badge: Badge? = nil, to tag: String? = nil) throws -> ReceivedPush {
    let words = sync ? [PushPayload.messageCenterSync] : nil
    return try #require(ReceivedPush(payload: PushPayload(sid: sid, to: tag, sync: words, badge: badge)))
}
