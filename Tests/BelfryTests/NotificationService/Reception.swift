import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry
@testable import BelfryNotificationService

/// A phone whose app has a notification service extension: two processes that share a folder.
struct ExtendedPhone: Sendable {
    let world: World
    let group: URL

    init() throws {
        let group = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-group-\(UUID().uuidString)")
        self.group = group
        world = try World { $0.appGroupDirectory = group }
    }

    var folder: SharedFolder { SharedFolder(group, appCode: world.configuration.appCode) }

    /// Another run of the extension, with ids of its own.
    func reception(seed: UInt64 = 7, _ change: (inout NotificationServiceSettings) -> Void = { _ in }) -> PushReception
    {
        var settings = NotificationServiceSettings(appCode: "shop", appGroupDirectory: group)
        change(&settings)
        return PushReception(settings, .manual(world.clock, Chance(seed: seed)))
    }

    func clean() {
        try? FileManager.default.removeItem(at: group)
    }
}

/// A push with what it says for the extension.
func extensionPush(
    _ sid: String, sync: Bool = false, badge: Badge? = nil, to tag: String? = nil, image: String? = nil
) throws -> ReceivedPush {
    let payload = PushPayload(
        sid: sid, to: tag, image: image, sync: sync ? [PushPayload.messageCenterSync] : nil, badge: badge
    )
    return try #require(ReceivedPush(payload: payload, title: "Hello", body: "World"))
}

extension ReceptionDecision {
    var badge: Int? {
        if case .shown(let badge) = appearance { badge } else { nil }
    }
}
