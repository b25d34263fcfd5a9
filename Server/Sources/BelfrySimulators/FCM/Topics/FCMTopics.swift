import Foundation
import Synchronization

/// The devices' subscriptions to topics.
final class FCMTopics: Sendable {
    /// The maximum number of subscriptions.
    static let limit = 2_000_000

    private struct Topic: Hashable, Sendable {
        let project: String
        let name: String
    }

    private struct State: Sendable {
        var devices: [Topic: Set<DeviceTokenKey>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Google: "If the subscription already exists, returns error of ALREADY_EXISTS."
    func subscribe(_ device: DeviceTokenKey, to name: String, of project: String) throws(FCMRequestError) {
        let topic = Topic(project: project, name: name)
        let error: FCMRequestError? = state.withLock { state in
            guard state.devices[topic]?.contains(device) != true else {
                return FCMRequestError(.alreadyExists, "Requested entity already exists")
            }
            guard state.count < Self.limit else {
                return .invalid("topic_name", "This simulator takes no more than \(Self.limit) subscriptions.")
            }
            state.devices[topic, default: []].insert(device)
            state.count += 1
            return nil
        }
        if let error { throw error }
    }

    /// False: it was not subscribed.
    func unsubscribe(_ device: DeviceTokenKey, from name: String, of project: String) -> Bool {
        let topic = Topic(project: project, name: name)
        return state.withLock { state in
            guard state.devices[topic]?.remove(device) != nil else { return false }
            if state.devices[topic]?.isEmpty == true { state.devices[topic] = nil }
            state.count -= 1
            return true
        }
    }

    /// The devices that meet the condition. `everyone` returns the devices of the project, for conditions that hold for
    /// devices without a topic.
    func devices(
        for condition: FCMCondition, of project: String, everyone: () -> [DeviceTokenKey]
    ) -> [DeviceTokenKey] {
        let subscribers = state.withLock { state in
            condition.topics.reduce(into: [:]) { $0[$1] = state.devices[Topic(project: project, name: $1)] }
        }
        let isForOthers = condition.holds { _ in false }
        let candidates = isForOthers ? everyone() : Array(Set(subscribers.values.joined()))
        return candidates.filter { device in
            condition.holds { subscribers[$0]?.contains(device) == true }
        }
    }
}

/// The response to a subscription.
struct FCMTopicSubscription: Encodable {
    private let name: String
    private let topic: String
    private let createdAt: String

    private enum CodingKeys: String, CodingKey {
        case name
        case topic = "topic_name"
        case createdAt = "create_time"
    }

    init(project: String, registration: String, topic: String, now: Date) {
        name = "projects/\(project)/registrations/\(registration)/topicSubscriptions/\(topic)"
        self.topic = topic
        createdAt = now.formatted(.iso8601)
    }
}
