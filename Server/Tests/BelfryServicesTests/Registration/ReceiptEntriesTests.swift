import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// SEC-9: what a receipt costs of what its registration brought.
@Suite("The entries of a receipt")
struct ReceiptEntriesTests {
    private static func names(_ count: Int) -> [String: AttributeValue] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { (String(format: "a%03d", $0), .number(1)) })
    }

    private static func stored(_ world: ServiceWorld) async throws -> (snapshot: Int, rejected: Int) {
        try await world.database.read { connection in
            try connection.first(
                "SELECT length(snapshot), length(rejected) FROM registrations ORDER BY id DESC LIMIT 1", []
            ) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
        }
    }

    @Test(
        "SEC-9, REG-25: a receipt lists fifty rejected fields, and counts the others", arguments: [49, 50, 51, 1_000])
    func bounded(count: Int) async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let sent = try await device.register { $0.attributes = Self.names(count) }
        try await world.process()
        let caller = try device.authenticated()
        let receipt = try await world.registrations.receipt(sent.registrationID, caller: caller).value
        #expect(receipt.status == .partlyRejected)
        let named = receipt.rejected.prefix(50)
        #expect(named.map(\.field) == (0..<min(count, 50)).map { String(format: "attributes.a%03d", $0) })
        #expect(named.allSatisfy { $0.reason == "undefinedAttribute" })
        let others = receipt.rejected.dropFirst(50)
        #expect(others.map(\.reason) == (count > 50 ? ["moreRejected"] : []))
        #expect(others.allSatisfy { $0.field == "registration" && $0.message.hasPrefix("\(count - 50) more field") })
        // The stored text is not a multiple of the body's size.
        #expect(try await Self.stored(world).rejected < 10_000)
    }

    @Test("SEC-9: long names make no long receipt", arguments: [200, 600, 100_000])
    func longNames(length: Int) async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        // One character of many scalars.
        let mark = "e" + String(repeating: "\u{301}", count: length / 2)
        let names = (0..<min(100, 900_000 / length)).map { "\($0)\(mark)" }
        let sent = try await device.register {
            $0.attributes = Dictionary(uniqueKeysWithValues: names.map { ($0, .number(1)) })
        }
        try await world.process()
        let receipt = try await world.registrations.receipt(
            sent.registrationID, caller: try device.authenticated()
        ).value
        let named = receipt.rejected.filter { $0.reason != "moreRejected" }
        let counted = receipt.rejected.dropFirst(named.count).map { $0.message.split(separator: " ").first ?? "" }
        #expect(!named.isEmpty && counted == (named.count < names.count ? ["\(names.count - named.count)"] : []))
        #expect(length > 1_000 || !counted.isEmpty)
        #expect(try ReceiptEntries.bytes(of: receipt.rejected) < ReceiptEntries.maximumBytes + 500)
    }

    @Test("SEC-9: a receipt's bytes count for its device and app; beyond the budget it lists nothing")
    func budget() async throws {
        let world = try await ServiceWorld()
        // 279,620 bytes a minute for a device.
        let limits = RequestLimits(
            rates: RequestRates(perDevice: 20, limitsLoopback: false), proxies: .none,
            now: world.environment.now, metrics: world.metrics
        )
        let environment = world.environment.with(receipts: ReceiptBudget(limits: limits))
        let processor = RegistrationProcessor(
            database: world.database, environment: environment, attempts: world.makeAttempts(),
            received: world.received, logger: world.logger
        )
        var device = try await ServiceDevice.started(world, 1)
        var spent = 0
        var receipts: [RegistrationIngestion.Receipt] = []
        for _ in 0..<60 {
            let sent = try await device.register { $0.attributes = Self.names(1_000) }
            _ = try await processor.processWaiting()
            let caller = try device.authenticated()
            receipts.append(try await world.registrations.receipt(sent.registrationID, caller: caller).value)
            spent += try await Self.stored(world).rejected
        }
        #expect(receipts.allSatisfy { $0.status == .partlyRejected })
        let whole = receipts.prefix { $0.rejected.count == 51 }
        #expect(!whole.isEmpty && whole.count < 60)
        #expect(receipts.dropFirst(whole.count).allSatisfy { $0.rejected.map(\.reason) == ["moreRejected"] })
        #expect(receipts.last?.rejected.first?.message.hasPrefix("1000 fields were rejected.") == true)
        #expect(spent < 279_620 + 60 * 300)
        // The device's bodies are paid for from the same budget.
        let meter = limits.meter(of: try device.authenticated(), from: nil)
        #expect(throws: ServiceError.self) { try meter.admit(bytes: 20_000) }
    }
}
