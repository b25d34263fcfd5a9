import AsyncHTTPClient
import BelfryWire
import Foundation
import NIOCore
import Testing

@testable import BelfryCommand

@Suite("A server that does not answer in time is asked a second time")
struct SecondAttemptTests {
    private static let server = "http://127.0.0.1:8080"
    private static let lost = NoResponse.lost(reason: "Remote connection closed")
    private static let refused = NoResponse.notConnected(reason: "Connection refused")
    private static let late = NoResponse.connectedTooLate(reason: "Connect timeout")

    /// How often the server is asked, and what a person reads in the end; nil: it has answered.
    private static func outcome(
        _ answers: [NoResponse?], isWrite: Bool
    ) async throws -> (attempts: Int, text: String?) {
        var attempts = 0
        do {
            try await AdminClient.inTwoAttempts(server: server, isWrite: isWrite) {
                attempts += 1
                if let error = answers[attempts - 1] { throw error }
            }
            return (attempts, nil)
        } catch let error as AdminClientError {
            return (attempts, error.description)
        }
    }

    @Test("CLI-4: a time-out is told from a refusal, and one before there was a connection from one after it")
    func kinds() {
        for error in [
            HTTPClientError.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
        ] {
            let response = NoResponse(error)
            #expect(response == .connectedTooLate(reason: error.shortDescription))
            #expect(response.isTimeout && response.mayPass && !response.mayBeDone)
        }
        for error in [HTTPClientError.deadlineExceeded, .readTimeout] {
            let response = NoResponse(error)
            #expect(response == .tooLate)
            #expect(response.isTimeout && response.mayPass && response.mayBeDone)
        }
        let refused = NoResponse(IOError(errnoCode: ECONNREFUSED, reason: "connect"))
        #expect(!refused.isTimeout && !refused.mayPass && !refused.mayBeDone)
        let lost = NoResponse(HTTPClientError.remoteConnectionClosed)
        #expect(!lost.isTimeout && lost.mayPass && lost.mayBeDone)
    }

    @Test(
        "CLI-4, ADM-3: reads and writes are repeated once after a time-out and a lost connection",
        arguments: [false, true]
    )
    func answered(isWrite: Bool) async throws {
        for first in [Self.late, .tooLate, Self.lost] {
            let outcome = try await Self.outcome([first, nil], isWrite: isWrite)
            #expect(outcome.attempts == 2 && outcome.text == nil)
        }
        let outcome = try await Self.outcome([nil], isWrite: isWrite)
        #expect(outcome.attempts == 1 && outcome.text == nil)
    }

    @Test("CLI-4: a refusal is told at once, and a second failure with what may have been done by then")
    func unanswered() async throws {
        let refused = try await Self.outcome([Self.refused], isWrite: true)
        #expect(refused.attempts == 1)
        let text = try #require(refused.text)
        #expect(text.contains("Cannot connect") && !text.contains("may have been made"))

        let cases: [(answers: [NoResponse], word: String, mayBeDone: Bool)] = [
            ([Self.late, Self.late], "in two attempts (Connect timeout)", false),
            ([Self.late, Self.refused], "Connection refused", false),
            ([.tooLate, .tooLate], "within 30 seconds", true), ([.tooLate, Self.refused], "Cannot connect", true),
            ([Self.lost, Self.late], "Cannot connect", true), ([Self.late, Self.lost], "was lost", true),
        ]
        for (answers, word, mayBeDone) in cases {
            let write = try await Self.outcome(answers, isWrite: true)
            let writeText = try #require(write.text)
            #expect(write.attempts == 2 && writeText.contains(word), "\(writeText)")
            #expect(writeText.contains("may have been made") == mayBeDone, "\(writeText)")
            let read = try await Self.outcome(answers, isWrite: false)
            let readText = try #require(read.text)
            #expect(read.attempts == 2 && readText.contains(word), "\(readText)")
            #expect(!readText.contains("may have been made"), "\(readText)")
        }
    }

    /// What the server answers, one attempt after the other.
    private enum Said {
        case nothing(NoResponse)
        case underWay
        case done
    }

    /// How often the server was asked, how many rests were between, and what came of it.
    private static func outcome(
        asking said: [Said]
    ) async -> (attempts: Int, rests: Int, result: Result<Bool, any Error>) {
        var (attempts, rests) = (0, 0)
        do {
            let isUnderWay = try await AdminClient.outcome(
                server: server, isWrite: true, rest: { rests += 1 }, isUnderWay: { (isUnderWay: Bool) in isUnderWay }
            ) {
                attempts += 1
                switch said[min(attempts, said.count) - 1] {
                case .nothing(let error): throw error
                case .underWay: return true
                case .done: return false
                }
            }
            return (attempts, rests, .success(isUnderWay))
        } catch {
            return (attempts, rests, .failure(error))
        }
    }

    @Test("CLI-4, ADM-3: a write that the server is still busy with is asked after until it has an outcome")
    func underWay() async throws {
        let slow = await Self.outcome(
            asking: [.nothing(.tooLate), .underWay, .underWay, .nothing(.tooLate), .underWay, .done]
        )
        #expect(slow.attempts == 6 && slow.rests == 3)
        #expect(try slow.result.get() == false)

        let endless = await Self.outcome(asking: [.nothing(Self.lost), .underWay])
        #expect(endless.rests == AdminClient.mostLooks && endless.attempts == AdminClient.mostLooks + 2)
        #expect(try endless.result.get(), "then it is told that the server is still at it")
    }

    @Test("CLI-4, ADM-3: whoever asks after a write that has begun is told that it may have been made")
    func goneMeanwhile() async throws {
        for answers in [[Said.nothing(Self.refused)], [.nothing(Self.late), .nothing(Self.late)]] {
            let gone = await Self.outcome(asking: [.nothing(.tooLate), .underWay] + answers)
            #expect(gone.attempts == 2 + answers.count && gone.rests == 1)
            let error = #expect(throws: AdminClientError.self) { try gone.result.get() }
            let text = try #require(error).description
            #expect(text.contains("Cannot connect") && text.contains("may have been made"), "\(text)")
        }
    }

    @Test("CLI-4, ADM-3: by its code an answer says that a write is under way, or has no known outcome")
    func codes() {
        func body(_ code: String) -> ErrorBody { ErrorBody(error: .init(code: code, message: "m")) }
        func isUnderWay(_ status: Int, _ code: String) -> Bool {
            AdminClientError.isUnderWay(
                status: status, body: Data(#"{"error":{"code":"\#(code)","message":"m"}}"#.utf8))
        }
        #expect(isUnderWay(409, "idempotencyKeyInUse"))
        #expect(!isUnderWay(200, "idempotencyKeyInUse") && !isUnderWay(409, "idempotencyKeyUnanswered"))
        #expect(!AdminClientError.isUnderWay(status: 409, body: Data("no JSON".utf8)))
        let key = AdminKey(text: "key", source: .program)
        for (code, words) in [
            ("idempotencyKeyInUse", "is still working"), ("idempotencyKeyUnanswered", "does not know"),
            ("conflict", "Rejected (409): m"),
        ] {
            let error = AdminClientError(status: 409, body: body(code), server: Self.server, key: key)
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test("CLI-6: the doctor asks again after a time-out, and takes a refusal at its word")
    func doctor() async throws {
        for first in [HTTPClientError.connectTimeout, .tlsHandshakeTimeout, .deadlineExceeded] {
            var attempts = 0
            let answer = try await DoctorServer.patiently {
                attempts += 1
                if attempts == 1 { throw first }
                return attempts
            }
            #expect(answer == 2)
            await #expect(throws: first) { try await DoctorServer.patiently { throw first } }
        }
        var attempts = 0
        await #expect(throws: IOError.self) {
            try await DoctorServer.patiently {
                attempts += 1
                throw IOError(errnoCode: ECONNREFUSED, reason: "connect")
            }
        }
        #expect(attempts == 1)
    }

    @Test("CLI-6: who has the port over IPv4 is looked for when the settings want all addresses of IPv6")
    func overIPv4() async throws {
        func address(_ host: String, tls: Bool = false) async throws -> String? {
            let configuration = try await ServeConfiguration.read(
                flags: .init(
                    host: host, port: 18_643, tlsCertificate: tls ? "server.crt" : nil,
                    tlsKey: tls ? "server.key" : nil
                ),
                environment: [:], file: nil
            )
            return OwnAddress.overIPv4(of: configuration)?.text
        }
        #expect(try await address("::") == "http://127.0.0.1:18643")
        #expect(try await address("::", tls: true) == "https://127.0.0.1:18643")
        for host in ["0.0.0.0", "127.0.0.1", "::1", "localhost"] { #expect(try await address(host) == nil) }
    }
}
