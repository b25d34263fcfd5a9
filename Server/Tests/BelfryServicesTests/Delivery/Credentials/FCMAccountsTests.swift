import BelfryModel
import BelfryPush
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

struct FCMAccountsTests {
    private static let start = ServiceWorld.epoch

    private let exchange = OrderedExchange()
    private let vault = CredentialVault(keys: TestKeys.server())
    private let accounts: AccountCache<CredentialVault.FCMSecret, FCMAccount>

    init() {
        accounts = Self.cache(vault, exchange)
    }

    private static func cache(
        _ vault: CredentialVault, _ exchange: OrderedExchange
    ) -> AccountCache<CredentialVault.FCMSecret, FCMAccount> {
        AccountCache(vault: vault) { credentials, _ in FCMAccount(credentials, exchange: exchange) }
    }

    private func record(_ revision: Int64 = 1) throws -> CredentialRecord {
        CredentialRecord(
            sealed: try vault.seal(TestKeys.fcm(), app: 1), revision: revision, updatedAt: Self.start
        )
    }

    private func token(_ record: CredentialRecord, after seconds: TimeInterval = 0) async throws -> String {
        try await accounts.account(app: 1, record: record)
            .accessToken(now: Self.start.addingTimeInterval(seconds))
    }

    private func fault(_ record: CredentialRecord, after seconds: TimeInterval = 0) async throws -> AccessTokenError? {
        do {
            _ = try await token(record, after: seconds)
            return nil
        } catch let fault as AccessTokenError {
            return fault
        }
    }

    @Test("PUSH-2: an access token is used until five minutes before its end, and then replaced")
    func renewal() async throws {
        exchange.script(.token("first"), .token("second"))
        let record = try record()
        for seconds in [0.0, 1_800, 3_299] { #expect(try await token(record, after: seconds) == "first") }
        #expect(exchange.calls == 1)
        #expect(try await token(record, after: 3_301) == "second")
        #expect(exchange.calls == 2)
    }

    @Test("PUSH-2: however many sends need a token at once, it is requested once")
    func singleFlight() async throws {
        exchange.hold()
        let record = try record()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await token(record) } }
            await exchange.received(1)
            exchange.release()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["token"])
        #expect(exchange.calls == 1)
    }

    @Test("PUSH-2: a token that FCM rejects is replaced once for all")
    func rejectedToken() async throws {
        exchange.script(.token("first"), .token("second"))
        let record = try record()
        let rejected = try await token(record)
        let account = try accounts.account(app: 1, record: record)
        let later = Self.start.addingTimeInterval(1_200)
        for _ in 0..<3 {
            let isRenewed = await account.renew(rejected, now: later)
            #expect(isRenewed)
            #expect(try await token(record, after: 1_200) == "second")
        }
        #expect(exchange.calls == 2)
    }

    @Test("REG-33: a token that is rejected when it is new means wrong credentials", arguments: [0.0, 59, -30])
    func rejectedWhileFresh(seconds: TimeInterval) async throws {
        let account = try accounts.account(app: 1, record: try record())
        let token = try await account.accessToken(now: Self.start)
        let isRenewed = await account.renew(token, now: Self.start.addingTimeInterval(seconds))
        #expect(!isRenewed)
    }

    @Test(
        "PUSH-21, SEC-5: a rejected assertion is a credential error in Google's word, and nothing else is kept",
        arguments: ["invalid_grant", "invalid_client", "unauthorized_client"]
    )
    func rejectedAssertion(word: String) async throws {
        exchange.script(.rejected(word))
        let fault = try await fault(try record())
        #expect(fault == .rejected(reason: word))
        #expect(fault?.outcome == .credentialError(reason: word))
    }

    @Test("PUSH-21: problems of the network or the other side say nothing about the credentials")
    func trouble() async throws {
        let troubles: [OrderedExchange.Response] = [
            .fault(.timeout), .fault(.noConnection), .rejected("internal_failure", status: 500),
            .body("<html>", status: 502), .body("{}", status: 200),
        ]
        for trouble in troubles {
            let accounts = Self.cache(vault, exchange)
            exchange.script(trouble)
            let record = try record()
            await #expect {
                _ = try await accounts.account(app: 1, record: record).accessToken(now: Self.start)
            } throws: { error in
                guard case .notSent(let reason)? = (error as? AccessTokenError)?.outcome else { return false }
                return !reason.contains("html")
            }
        }
    }

    @Test("PUSH-4: a failure is reused for a moment, twice as long each time, a minute at most; a success ends that")
    func backOff() async throws {
        exchange.script(.fault(.noConnection))
        let record = try record()
        var at = 0.0
        for rest in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            let calls = exchange.calls
            #expect(try await fault(record, after: at) != nil)
            #expect(try await fault(record, after: at + rest - 0.01) != nil)
            #expect(exchange.calls == calls + 1, "asked once within \(rest) s")
            at += rest
        }
        exchange.script(.token("token", seconds: 700), .fault(.noConnection))
        #expect(try await token(record, after: at) == "token")
        at += 600
        let calls = exchange.calls
        _ = try await fault(record, after: at)
        _ = try await fault(record, after: at + 1)
        #expect(exchange.calls == calls + 2, "the first rest is short again")
    }

    @Test("PUSH-4: a clock that was set back freezes no failure")
    func clockSetBack() async throws {
        exchange.script(.fault(.noConnection), .token("token"))
        let record = try record()
        #expect(try await fault(record, after: 3_600) != nil)
        #expect(try await token(record, after: 0) == "token")
    }

    @Test("REG-33: other credentials are tried at once, whatever happened with the former ones")
    func otherCredentials() async throws {
        exchange.script(.rejected("invalid_grant"), .token("token"))
        #expect(try await fault(try record(1)) != nil)
        #expect(try await token(try record(2)) == "token")
    }

    @Test("REG-33: late results of the former credentials do not affect the new ones")
    func lateAnswer() async throws {
        exchange.hold()
        exchange.script(.rejected("invalid_grant"), .token("new"))
        let (former, new) = (try record(1), try record(2))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await fault(former) }
            await exchange.received(1)
            group.addTask { _ = try await token(new) }
            await exchange.received(2)
            exchange.release()
            try await group.waitForAll()
        }
        #expect(try await token(new) == "new")
        #expect(exchange.calls == 2)
    }

    @Test("SEC-1: credentials of another app cannot be decrypted")
    func movedBlob() async throws {
        let record = CredentialRecord(
            sealed: try vault.seal(TestKeys.fcm(), app: 2), revision: 1, updatedAt: Self.start
        )
        await #expect(throws: (any Error).self) { try await token(record) }
        #expect(exchange.calls == 0)
    }
}
