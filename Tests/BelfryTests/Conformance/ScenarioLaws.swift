import BelfryTestSupport
import Foundation

/// What holds for the requests of every scenario.
struct ScenarioLaws {
    let requests: [ScenarioRequest]
    /// The number of requests before each end of an installation by a wipe.
    let endsOfInstallations: [Int]
    /// False if the scenario changes the clock or the installation.
    let isThrottleJudged: Bool

    /// - Returns: what is wrong; nil if everything holds.
    func violation() -> String? {
        for law in [identity, order, clientState, contactToken, registrations, bodies, events, times] {
            if let wrong = law() { return wrong }
        }
        return nil
    }

    /// The requests of each installation. An erasure ends one, too.
    private var installations: [ArraySlice<ScenarioRequest>] {
        let erasures = requests.indices.filter { requests[$0].isErased }.map { $0 + 1 }
        let ends = Set(endsOfInstallations + erasures + [requests.count]).sorted()
        return zip([0] + ends, ends).map { requests[$0..<$1] }
    }

    private func identity() -> String? {
        var former: Set<String> = []
        for installation in installations where !installation.isEmpty {
            let ids = Set(installation.map { $0.header("X-Client-Id") ?? "none" })
            guard ids.count == 1, !ids.contains("none"), ids.isDisjoint(with: former) else {
                return "an installation's X-Client-Id is one of its own, but there are \(ids.union(former))"
            }
            former.formUnion(ids)
        }
        return nil
    }

    private func order() -> String? {
        for installation in installations {
            let orders = installation.map { Int64($0.header("X-Request-Order") ?? "") ?? -1 }
            guard orders.allSatisfy({ $0 >= 0 }), zip(orders, orders.dropFirst()).allSatisfy({ $0 < $1 }) else {
                return "X-Request-Order does not grow: \(orders)"
            }
        }
        return nil
    }

    private func clientState() -> String? {
        for installation in installations {
            var newest: String?
            for request in installation {
                guard request.header("X-Client-State") == newest else {
                    let sent = request.header("X-Client-State") ?? "none"
                    return
                        "\(request.name) at \(request.at) has the X-Client-State \(sent), the newest is \(newest ?? "none")"
                }
                newest = request.state ?? newest
            }
        }
        return nil
    }

    private func contactToken() -> String? {
        for installation in installations {
            var newest: String?
            for request in installation {
                let token = request.header("X-Contact-Token")
                let isLink = request.name == ScenarioRequest.link
                if (isLink && request.body != .null) || request.name == ScenarioRequest.refresh {
                    guard token == nil else { return "\(request.name) has an X-Contact-Token" }
                } else if let token {
                    guard token == newest else {
                        return "\(request.name) at \(request.at) has \(token), the newest is \(newest ?? "none")"
                    }
                } else if isLink ? newest != nil : !Self.needNoToken.contains(request.name) {
                    return "\(request.name) at \(request.at) has no X-Contact-Token"
                }
                newest = request.contactToken ?? newest
            }
        }
        return nil
    }

    private static let needNoToken = [ScenarioRequest.properties, ScenarioRequest.webPushKey]

    private func times() -> String? {
        requests.first(where: \.isUntimely).map {
            "\($0.name) at \($0.at) was made after a kill, or while the same request was on its way"
        }
    }

    private func registrations() -> String? {
        for installation in installations {
            let all = installation.filter { $0.name == ScenarioRequest.registration }
            if let other = all.first(where: { $0.body["deviceId"]?.text != $0.header("X-Client-Id") }) {
                return "the deviceId of the registration at \(other.at) is not the X-Client-Id"
            }
            guard Set(all.map { $0.body["registrationId"] }).count == all.count else {
                return "two registrations have one registrationId"
            }
            for (former, next) in zip(all, all.dropFirst()) {
                guard let low = former.body["revision"]?.number, let high = next.body["revision"]?.number, low < high
                else { return "the revision at \(next.at) does not grow" }
                if isThrottleJudged, next.at - former.at < 60_000 {
                    return "registrations at \(former.at) and at \(next.at)"
                }
            }
        }
        return nil
    }

    private func bodies() -> String? {
        for request in requests where request.body != .null {
            guard request.header("Content-Type") == "application/json" else {
                return "\(request.name) is not sent as JSON"
            }
            guard !request.body.holdsNull else { return "\(request.name) has a null: \(request.body)" }
        }
        return nil
    }

    private func events() -> String? {
        var known: [String: [JSONValue?]] = [:]
        for event in requests.flatMap(\.events) {
            guard let id = event["id"]?.text, (1...64).contains(id.count), event["name"]?.text?.isEmpty == false,
                event["timestamp"]?.text != nil
            else { return "an event lacks id, name or timestamp: \(event)" }
            let parts = [event["name"], event["timestamp"], event["attributes"]]
            guard known.updateValue(parts, forKey: id) ?? parts == parts else { return "two events have the id \(id)" }
        }
        return nil
    }
}
