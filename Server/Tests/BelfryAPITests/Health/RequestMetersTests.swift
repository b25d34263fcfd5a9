import BelfryServices
import Foundation
import Testing

@testable import BelfryAPI

@Suite("Requests in the metrics")
struct RequestMetersTests {
    private static func lines(_ server: TestServer) async throws -> [Substring] {
        try await server.call(.get, "/metrics").text.split(separator: "\n")
    }

    @Test("FLEET-11: each route has a histogram, and responses are counted by their class")
    func routes() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for _ in 0..<3 { _ = try await server.call(.get, "/healthz") }
            _ = try await server.call(.get, "/no/such/address")
            _ = try await server.call(.get, "/v3/apps/shop/client/badge")
            let lines = try await Self.lines(server)
            let family = RequestMeters.duration
            #expect(lines.contains("# TYPE \(family) histogram"))
            #expect(lines.contains("\(family)_count{method=\"GET\",route=\"/healthz\"} 3"))
            #expect(lines.contains("\(family)_count{method=\"any\",route=\"other\"} 1"))
            // By the route's own text: nobody makes a series by an address.
            #expect(lines.contains("\(family)_count{method=\"GET\",route=\"/v3/apps/{appCode}/client/badge\"} 1"))
            #expect(!lines.contains { $0.contains("/no/such") || $0.contains("apps/shop") })
            #expect(lines.contains(#"belfry_responses_total{status="4xx"} 2"#))
            #expect(lines.contains(#"belfry_responses_total{status="5xx"} 0"#))
        }
    }

    @Test("FLEET-11: the express lane counts every call of a route, and measures one in 64 of a connection")
    func lane() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            for number in 0..<70 {
                #expect(try await device.track(EventTests.event("e\(number)")).status == .noContent)
            }
            let lines = try await Self.lines(server)
            let labels = #"{method="POST",route="/v3/apps/{appCode}/client/events"}"#
            #expect(lines.contains("\(ExpressMeters.requests)\(labels) 70"))
            #expect(lines.contains("\(ExpressMeters.duration)_count\(labels) 2"))
            // The router has not seen them.
            #expect(!lines.contains { $0.hasPrefix("\(RequestMeters.duration)_count\(labels)") })
        }
    }

    @Test("FLEET-11: the routes of the express lane are spelled as the router's")
    func spelled() {
        let metrics = Metrics()
        let meters = ExpressMeters(metrics: metrics, now: { Date(timeIntervalSince1970: 0) })
        let calls: [ExpressCall] = [
            .events(.v3), .events(.v4), .registration, .messages("x"), .messageCenters, .inAppMessages("x"),
        ]
        for call in calls { meters.answered(call, since: Date(timeIntervalSince1970: 0), number: 0) }
        let routes = Set(APIRoutes.operations.map { "\($0.method.rawValue.uppercased()) \($0.path)" })
        let counted = metrics.values.filter { Metrics.family(of: $0.key) == ExpressMeters.requests && $0.value == 1 }
        #expect(counted.count == calls.count)
        for name in counted.keys {
            let (method, route) = (Metrics.label("method", of: name), Metrics.label("route", of: name))
            #expect(routes.contains("\(method ?? "") \(route ?? "")"), "\(name)")
        }
    }
}
