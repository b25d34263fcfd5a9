import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// The runner itself: what is wrong, it finds. The limit ends a wait for a client that never sleeps, and judges no machine:
/// a test lives a client's life for each of its cases.
@Suite(.timeLimit(.minutes(15)))
struct ScenarioRunnerTests {
    private func failure(of steps: String, proves: String = #"["WEB-6"]"#, more: String = "") async throws -> String? {
        let json = #"{"format": 1, "title": "a test", "proves": \#(proves), \#(more) "steps": [\#(steps)]}"#
        do {
            try await ScenarioRun(Scenario(name: "test", decoded(JSONValue.self, json)), seed: 1).run()
            return nil
        } catch let error as ScenarioError {
            return error.description
        }
    }

    @Test("WEB-6: a pattern matches what the description says")
    func patterns() throws {
        let cases: [(pattern: String, fitting: [String], others: [String])] = [
            ("1", ["1", "1.0"], ["2", "\"1\"", "true", "null"]),
            ("null", ["null"], ["0", "false", "[]"]),
            (#""$any""#, ["0", "\"x\"", "[]"], ["null"]),
            ("[1, 2]", ["[1, 2]"], ["[2, 1]", "[1]", "[1, 2, 3]", "{}"]),
            (#"{"a": 1, "b": null}"#, [#"{"a": 1}"#, #"{"a": 1, "c": 2}"#], [#"{"a": 1, "b": 2}"#, "{}", "1"]),
            (#"{"$only": {"a": 1}}"#, [#"{"a": 1}"#], [#"{"a": 1, "b": 1}"#, "{}"]),
            (#"{"$above": 5}"#, ["6", "\"6\""], ["5", "\"x\"", "null"]),
            (#"{"$below": 5}"#, ["4.5"], ["5", "null"]),
            (#"{"$not": 5}"#, ["4"], ["5", "null"]),
            (#"{"$oneOf": [null, []]}"#, ["null", "[]"], ["[1]", "0"]),
            (#"{"$set": [1, 2]}"#, ["[1, 2]", "[2, 1]"], ["[1, 1]", "[1]", "[1, 2, 2]"]),
            (#"{"$contains": 2}"#, ["[1, 2]"], ["[1]", "2", "null"]),
            (#"{"$contains": "b"}"#, ["\"abc\"", #"["b"]"#], ["\"ac\"", #"["abc"]"#]),
            (#"["$x", "$x"]"#, ["[1, 1]"], ["[1, 2]", "[null, null]"]),
            (#"["$x", {"$above": "$x"}]"#, ["[1, 2]"], ["[2, 1]", "[1, 1]"]),
            (#"{"$set": [["$x", 1], ["$x", 2]]}"#, ["[[7, 2], [7, 1]]"], ["[[7, 1], [8, 2]]"]),
        ]
        for (pattern, fitting, others) in cases {
            let parsed = try decoded(JSONValue.self, pattern)
            for (values, matches) in [(fitting, true), (others, false)] {
                for value in values {
                    var bindings = Bindings()
                    #expect(
                        try bindings.matches(decoded(JSONValue.self, value), parsed) == matches, "\(value), \(pattern)")
                }
            }
        }
    }

    @Test("WEB-6: what the SDK does not send, or sends besides, is found")
    func findings() async throws {
        let start = #"{"launch": {}}, {"pass": 60000}, "#
        let cases = [
            #"{"expect": {"requests": ["POST /client"]}}"#,
            #"{"expect": {"requests": ["POST /client", "POST /client/contact", "POST /client/registration", "POST /x"]}}"#,
            #"{"expect": {"requests": ["POST /client/contact", "POST /client", "POST /client/registration"]}}"#,
            #"{"expect": {"requests": ["POST /client", {"anyOrder": ["POST /client/contact"]}, "POST /client"]}}"#,
            #"{"expect": {"order": ["POST /client/contact", "POST /client"]}}"#,
            #"{"expect": {"counts": {"POST /client": 2}}}"#,
            #"{"expect": {"registrations": [{"contactKey": "anna"}]}}"#,
            #"{"expect": {"registrations": [{}, {}]}}"#,
            #"{"expect": {"events": [{"name": "x"}]}}"#,
            #"{"expect": {"internalEvents": ["session:start", "app:start"]}}"#,
            #"{"expect": {"state": {"contact": "known"}}}"#,
            #"{"expect": {"reports": ["erased"]}}"#,
            #"{"edit": [["addTag", "a"]], "results": ["blank"]}, {"expect": {}}"#,
            #"{"edit": [["addTag", ""]]}, {"expect": {}}"#,
            #"{"track": {"name": ""}}, {"expect": {}}"#,
            #"{"track": {"name": "x"}, "fails": "invalidEvent"}, {"expect": {}}"#,
            #"{"background": {}}, {"expect": {}}, {"track": {"name": "x"}}, {"pass": 60000}, "#
                + #"{"expect": {"uploads": [{"request": "POST /client/events", "at": [0, 10]}]}}"#,
        ]
        #expect(try await failure(of: start + #"{"expect": {"counts": {"POST /client": 1}}}"#) == nil)
        for steps in cases {
            #expect(try await failure(of: start + steps) != nil, "\(steps)")
        }
    }

    @Test("WEB-6: what a file says and the runner does not know is an error")
    func unknown() async throws {
        let fine = #"{"launch": {}}, {"expect": {}}"#
        #expect(try await failure(of: fine) == nil)
        let cases = [
            #"{"lunch": {}}, {"expect": {}}"#, #"{"launch": {"shown": true}}, {"expect": {}}"#,
            #"{"launch": {}, "kill": {}}, {"expect": {}}"#, #"{"launch": {}}, {"expect": {"request": []}}"#,
            #"{"launch": {}}, {"expect": {"requests": [{"request": "POST /client", "header": {}}, "POST /x"]}}"#,
            #"{"launch": {}}, {"edit": [["setName", "x"]]}, {"expect": {}}"#,
            #"{"launch": {}}, {"server": [{"on": "POST /client", "fault": "late"}]}, {"expect": {}}"#,
            #"{"launch": {}}, {"expect": {"registrations": {"$like": 1}}}"#, #"{"launch": {}}"#,
            #"{"pass": "60"}, {"expect": {}}"#, #"{"network": "slow"}, {"expect": {}}"#,
        ]
        for steps in cases {
            #expect(try await failure(of: steps) != nil, "\(steps)")
        }
        #expect(try await failure(of: fine, more: #""needs": ["telepathy"],"#) != nil)
        #expect(try await failure(of: fine, more: #""config": {"colour": 1},"#) != nil)
        #expect(try await failure(of: fine, more: #""author": "x","#) != nil)
        #expect(try await failure(of: fine, proves: "[]") != nil)
    }

    @Test("WEB-6: every law of the description is judged")
    func laws() throws {
        func request(
            _ name: String = "POST /client/registration", id: String = "d", order: Int = 1, state: String? = nil,
            token: String? = "token-1", body: String? = nil, at: Double = 0
        ) throws -> ScenarioRequest {
            let parts = name.split(separator: " ", maxSplits: 1)
            var headers = ["X-Client-Id": id, "X-Request-Order": "\(order)", "Content-Type": "application/json"]
            headers["X-Client-State"] = state
            headers["X-Contact-Token"] = token
            return try ScenarioRequest(
                TransportRequest(
                    method: String(parts[0]), path: "/v3/apps/shop" + parts[1], headers: headers,
                    body: body.map { Data($0.utf8) }
                ), at: at)
        }
        func broken(_ requests: ScenarioRequest..., wipedAt: Int? = nil) -> Bool {
            var link = try? request("POST /client/contact", order: 0, token: nil, body: "{}")
            link?.contactToken = "token-1"
            let all = [link].compactMap { $0 } + requests
            let ends = wipedAt.map { [$0 + 1] } ?? []
            return ScenarioLaws(requests: all, endsOfInstallations: ends, isThrottleJudged: true).violation() != nil
        }
        let first = #"{"deviceId": "d", "registrationId": "a", "revision": 1}"#
        let second = #"{"deviceId": "d", "registrationId": "b", "revision": 2}"#
        let events = #"{"events": [{"id": "x", "name": "n", "timestamp": "t"}]}"#
        let upload = "POST /client/events"
        #expect(try !broken(request(body: first), request(order: 2, body: second, at: 60_000)))
        #expect(try !broken(request(upload, body: events), request(upload, order: 2, body: events)))
        // Ids and orders.
        #expect(try broken(request(id: "e", body: #"{"deviceId": "e", "registrationId": "a", "revision": 1}"#)))
        #expect(try broken(request(body: first), wipedAt: 0))
        #expect(try broken(request(order: 0, body: first)))
        // States and tokens.
        #expect(try broken(request(state: "state-1", body: first)))
        var answered = try request(upload, body: events)
        answered.state = "state-1"
        #expect(try broken(answered, request(order: 2, body: first)))
        #expect(try broken(request(token: nil, body: first)))
        #expect(try broken(request(token: "token-0", body: first)))
        #expect(try broken(request("POST /client/contact-token", body: "{}")))
        #expect(try broken(request("POST /client/contact", body: "{}")))
        #expect(try broken(request("POST /client/contact", token: nil)))
        #expect(try !broken(request("GET /client/web-push-key", token: nil)))
        var untimely = try request(body: first)
        untimely.isUntimely = true
        #expect(broken(untimely))
        // Registrations.
        #expect(try broken(request(body: first), request(order: 2, body: second, at: 59_999)))
        #expect(try broken(request(body: second), request(order: 2, body: first, at: 60_000)))
        let sameID = #"{"deviceId": "d", "registrationId": "a", "revision": 2}"#
        #expect(try broken(request(body: first), request(order: 2, body: sameID, at: 60_000)))
        #expect(try broken(request(body: #"{"deviceId": "e", "registrationId": "a", "revision": 1}"#)))
        // Bodies and events.
        #expect(try broken(request("PUT /x", body: #"{"a": [{"b": null}]}"#)))
        let changed = #"{"events": [{"id": "x", "name": "m", "timestamp": "t"}]}"#
        #expect(try broken(request(upload, body: events), request(upload, order: 2, body: changed)))
        #expect(try broken(request(upload, body: #"{"events": [{"name": "n", "timestamp": "t"}]}"#)))
    }
}
