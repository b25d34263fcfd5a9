import BelfrySimulators
import Foundation
import Testing

@Suite("FCM simulator over TLS")
struct FCMSimulatorTests {
    typealias Rejection = FCMSimulation.Rejection

    @Test("PUSH-2: a message is accepted, named, and reaches its device unchanged")
    func accept() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            var device = try simulation.simulator.messages(for: token).makeAsyncIterator()
            let response = try await simulation.send(
                to: token,
                #""data":{"belfry":"{\"sid\":\"m1\"}","a":"\u00fc\ud83d\ude00"},"#
                    + #""notification":{"title":"T","body":"B"},"#
                    + #""android":{"collapse_key":"c","ttl":"60s","priority":"NORMAL","#
                    + #""notification":{"title":"Own","channelId":"news"}}"#
            )
            #expect(response.status == 200)
            #expect(response.isHTTP2)
            let name = try response.json([String: String].self)["name"]
            #expect(name?.hasPrefix("projects/example/messages/") == true)
            let arrived = await device.next()
            let message = try #require(arrived)
            #expect(message.name == name)
            #expect(message.messageID == "m1")
            #expect(message.data == ["belfry": #"{"sid":"m1"}"#, "a": "ü😀"])
            #expect(message.title == "Own")
            #expect(message.body == "B")
            #expect(message.channelID == "news")
            #expect(message.collapseKey == "c")
            #expect(message.timeToLive == 60)
            #expect(!message.isHighPriority)
            #expect(message.acceptedAt == simulation.clock.now)
        }
    }

    @Test("PUSH-21: token errors are distinguished from errors of the sender or the message")
    func tokenStates() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let expected: [(FCMSimulator.TokenState, Int, String, String?)] = [
                (.unregistered, 404, "UNREGISTERED", nil),
                (.malformed, 400, "INVALID_ARGUMENT", "message.token"),
                (.otherSender, 403, "SENDER_ID_MISMATCH", nil),
                (.thirdPartyAuthError, 401, "THIRD_PARTY_AUTH_ERROR", nil),
            ]
            for (state, status, code, field) in expected {
                try simulation.simulator.setState(of: token, to: state)
                let response = try await simulation.send(to: token)
                #expect(response.status == status)
                let rejection = try response.json(Rejection.self)
                #expect(rejection.errorCode == code)
                #expect(rejection.field == field)
            }
            try simulation.simulator.setState(of: token, to: .valid)
            let cut = try await simulation.send(to: String(token.dropLast()))
            #expect(try cut.json(Rejection.self).field == "message.token")
            let mistyped = try await simulation.send(to: "x" + token.dropFirst())
            #expect(try mistyped.json(Rejection.self).errorCode == "INVALID_ARGUMENT")
            let other = simulation.simulator.issueToken(projectID: "another")
            let mismatch = try await simulation.send(to: other)
            #expect(try mismatch.json(Rejection.self).errorCode == "SENDER_ID_MISMATCH")
            let good = try await simulation.send(to: token)
            #expect(good.status == 200)
            #expect(try simulation.simulator.acceptedCount(of: token) == 1)
        }
    }

    @Test("PUSH-2: a Firebase installation id takes messages like a token, by its own field")
    func installationID() async throws {
        try await FCMSimulation.run { simulation in
            let id = simulation.simulator.issueInstallationID(projectID: FCMSimulation.project)
            #expect(id.utf8.count == 22 && ["c", "d", "e", "f"].contains(id.prefix(1)))
            var device = try simulation.simulator.messages(for: id).makeAsyncIterator()
            let sent = try await simulation.send(toInstallation: id)
            #expect(sent.status == 200)
            let message = await device.next()
            #expect(message?.title == "Hello")
            #expect(simulation.simulator.history.map(\.token) == [id])
            // A registration token is none, and the other way round.
            let asToken = try await simulation.send(to: id)
            #expect(try asToken.json(Rejection.self).field == "message.token")
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let asID = try await simulation.send(toInstallation: token)
            #expect(try asID.json(Rejection.self).field == "message.fid")
            let unknown = try await simulation.send(toInstallation: "cIBFn0zWRz6HdXpUGIo_Aw")
            #expect(try unknown.json(Rejection.self).errorCode == "UNREGISTERED")
            let both = try await simulation.post(#"{"message":{"fid":"\#(id)","token":"\#(token)"}}"#)
            #expect(both.status == 400)
            try simulation.simulator.setState(of: id, to: .malformed)
            let malformed = try await simulation.send(toInstallation: id)
            #expect(try malformed.json(Rejection.self).field == "message.fid")
            try simulation.simulator.setState(of: id, to: .unregistered)
            let gone = try await simulation.send(toInstallation: id)
            #expect(gone.status == 404)
        }
    }

    @Test("PUSH-2: a token of another run is unregistered, not malformed")
    func tokenOfAnotherRun() async throws {
        var foreign = ""
        try await FCMSimulation.run { simulation in
            _ = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            foreign = simulation.simulator.issueToken(projectID: FCMSimulation.project)
        }
        try await FCMSimulation.run { simulation in
            let response = try await simulation.send(to: foreign)
            #expect(try response.json(Rejection.self).errorCode == "UNREGISTERED")
        }
    }

    @Test("PUSH-21: an error in a message's format names the field, and nothing is accepted")
    func badMessages() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let large = String(repeating: "x", count: 4_093)
            let expected: [(String, String)] = [
                (#""data":{"a":12}"#, "message.data[0].value"),
                (#""colour":"red""#, "message"),
                (#""notification":{"badge":1}"#, "message.notification"),
                (#""notification":"hello""#, "message.notification"),
                (#""android":{"ttl":"60"}"#, "message.android.ttl"),
                (#""android":{"ttl":"2419201s"}"#, "message.android.ttl"),
                (#""android":{"priority":"URGENT"}"#, "message.android.priority"),
                (
                    #""android":{"notification":{"visibility":"HIDDEN"}}"#,
                    "message.android.notification.visibility"
                ),
                (#""data":{"google.x":"1"}"#, "message.data"),
                (#""data":{"from":"1"}"#, "message.data"),
                (#""data":{"gcm.notification.x":"1"}"#, "message.data"),
                (#""apns":{"colour":"red"}"#, "message.apns"),
                (#""webpush":{"headers":{"TTL":60}}"#, "message.webpush.headers[0].value"),
                (#""data":{"abcd":"\#(large)"}"#, "message"),
                (#""topic":"news""#, "message"),
            ]
            for (members, field) in expected {
                let response = try await simulation.send(to: token, members)
                #expect(response.status == 400, "\(members.prefix(60))")
                let rejection = try response.json(Rejection.self)
                #expect(rejection.error.status == "INVALID_ARGUMENT", "\(members.prefix(60))")
                #expect(rejection.field == field, "\(members.prefix(60))")
            }
            for body in ["", "{", "[]", #"{"message":1}"#, #"{"message":{"data":{}}}"#] {
                let response = try await simulation.post(body)
                #expect(response.status == 400, "\(body)")
            }
            let fits = try await simulation.send(to: token, #""data":{"abc":"\#(large)"}"#)
            #expect(fits.status == 200)
            let free = try await simulation.send(
                to: token,
                #""data":{"googleplex":"1","gcm.x":"2"},"apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{}}},"#
                    + #""webpush":{"data":{"a":"b"},"fcm_options":{"link":"https://example.com"}}"#
            )
            #expect(free.status == 200)
            #expect(try simulation.simulator.acceptedCount(of: token) == 2)
        }
    }

    @Test("PUSH-2: another path than that for messages is 404 without an error code")
    func path() async throws {
        try await FCMSimulation.run { simulation in
            let response = try await simulation.client.call("POST", simulation.addresses.url + "/v1/projects/x/topics")
            #expect(response.status == 404)
            #expect(try response.json(Rejection.self).errorCode == nil)
        }
    }

    @Test("PUSH-2: a message with validate_only reaches nobody")
    func validateOnly() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let response = try await simulation.post(
                #"{"validateOnly":true,"message":{"token":"\#(token)","data":{"a":"b"}}}"#
            )
            #expect(response.status == 200)
            #expect(try simulation.simulator.acceptedCount(of: token) == 0)
            #expect(simulation.simulator.statistics.validated == 1)
        }
    }

    @Test("PUSH-5: a device that was offline gets one message for each collapse key, and none with a ttl of 0")
    func storedWhileAway() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            for (key, text, ttl) in [("a", "1", "60s"), ("b", "2", "10s"), ("a", "3", "60s"), ("c", "4", "0s")] {
                let response = try await simulation.send(
                    to: token, #""data":{"n":"\#(text)"},"android":{"collapseKey":"\#(key)","ttl":"\#(ttl)"}"#
                )
                #expect(response.status == 200)
            }
            simulation.clock.advance(by: 11)
            var device = try simulation.simulator.messages(for: token).makeAsyncIterator()
            let arrived = await device.next()
            #expect(arrived?.data == ["n": "3"])
            let statistics = simulation.simulator.statistics
            #expect(statistics.delivered == 1)
            #expect(statistics.replaced == 1)
            #expect(statistics.discarded == 1)
        }
    }

    @Test("PUSH-5: a repeat is recognised by the sender's own id, whatever names the service gave")
    func repeats() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            for id in ["one", "one", "two"] {
                _ = try await simulation.send(to: token, #""data":{"belfry":"{\"sid\":\"\#(id)\"}"}"#)
            }
            #expect(simulation.simulator.acceptedCounts() == [token: ["one": 2, "two": 1]])
            let names = Set(simulation.simulator.history.map(\.name))
            #expect(names.count == 3)
        }
    }
}
