import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfrySQLite
import BelfryServerModel
import BelfryStore
import Foundation
import ServiceLifecycle

/// Runs `belfry bench console`.
struct ConsoleBench: Service {
    static let app = "bench"
    static let password = "a password of a benchmark"

    let devices: Int
    let rows: Int
    let people: Int
    let seconds: Int
    let json: Bool

    func run() async throws {
        let report = try await BenchServer.run { server in
            try await BenchHTTP.run { http in
                _ = try await BenchApp.make(
                    Self.app, attributes: ["firstName": .string, "city": .string], on: server, over: http
                )
                let begin = ContinuousClock().now
                let data = ConsoleBenchData(file: server.file, devices: devices, rows: rows)
                let campaigns = try await data.write(app: Self.app)
                let filling = ContinuousClock().now - begin
                let summing = try await summedUp(server.file)
                let visitors = try await signedIn(on: server)
                let visits = try await click(visitors, at: ConsoleBenchPages(devices: devices, campaigns: campaigns))
                return ConsoleBenchReport(self, visits: visits, filling: filling, summing: summing)
            }
        }
        Console.say(json ? try report.jsonLine() : report.table)
        // The figures mean nothing if pages were refused.
        if let status = report.refused { throw BenchHTTPError.rejected(url: "the console", status: status) }
    }

    /// Waits until the server has summed up the campaigns' figures. Returns the duration.
    private func summedUp(_ file: URL) async throws -> Duration {
        let begin = ContinuousClock().now
        let database = try SQLiteDatabase(path: file.path, questions: .live)
        defer { try? database.close() }
        while try await database.read({ connection in
            try connection.first("SELECT count(*) FROM campaigns WHERE summed_at IS NULL", []) { $0.integer(0) } ?? 0
        }) > 0 {
            try await Task.sleep(for: .seconds(1))
        }
        return ContinuousClock().now - begin
    }

    /// Signs in visitors with the role of marketers: they compose campaigns and count audiences.
    private func signedIn(on server: BenchServer) async throws -> [ConsoleVisitor] {
        var visitors: [ConsoleVisitor] = []
        for number in 0..<people {
            let name = "person\(number)"
            _ = try await server.admin.call(
                UserRoutes.createUser,
                body: CreateUserRequest(
                    name: name, password: Self.password, isOperator: false, roles: [Self.app: .marketer]
                )
            )
            visitors.append(try await ConsoleVisitor.signIn(name, password: Self.password, at: server.address))
        }
        return visitors
    }

    private func click(_ visitors: [ConsoleVisitor], at pages: ConsoleBenchPages) async throws -> [ConsoleVisit] {
        let end = ContinuousClock().now + .seconds(seconds)
        let outcome: Result<[ConsoleVisit], any Error>
        do {
            let visits = try await withThrowingTaskGroup(of: [ConsoleVisit].self) { group in
                for (number, visitor) in visitors.enumerated() {
                    group.addTask { try await visitor.click(from: number, until: end, pages: pages) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            outcome = .success(visits)
        } catch {
            outcome = .failure(error)
        }
        for visitor in visitors { try await visitor.leave() }
        return try outcome.get()
    }
}
