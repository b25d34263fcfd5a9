import AsyncHTTPClient
import BelfryServices
import BelfryWire
import Foundation
import NIOCore

/// Sends spans to an OpenTelemetry collector by OTLP over HTTP, as JSON (OTLP 1.0, "OTLP/HTTP").
struct OTLPTransport: TraceTransport {
    static let timeout = TimeAmount.seconds(5)
    private static let maximumResponseBytes = 65_536

    /// The collector did not accept the spans, but may accept them later.
    struct Busy: Error { let status: Int }

    private let address: String
    private let version: String
    private let http: HTTPClient

    /// - Parameters:
    ///   - origin: the collector's origin, such as `http://127.0.0.1:4318`.
    ///   - version: the version of this server.
    init(origin: String, version: String, group: any EventLoopGroup) {
        address = "\(origin)/v1/traces"
        self.version = version
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(connect: Self.timeout)
        http = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    func send(_ spans: [TraceSpan]) async throws {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: Self.body(spans, version: version)))
        let response = try await http.exchange(
            request, upTo: Self.maximumResponseBytes, deadline: .now() + Self.timeout
        )
        // A busy collector responds with 429 or 5xx. Any other error would be the same the next time.
        if response.status == 429 || response.status >= 500 { throw Busy(status: response.status) }
        guard (200..<300).contains(response.status) else { throw TracesRejected(status: response.status) }
    }

    func close() async {
        // All spans were sent before, so a failed close of the connections loses none.
        try? await http.shutdown()
    }

    /// An `ExportTraceServiceRequest` in the JSON form of OTLP: ids in hexadecimal, 64-bit numbers as strings.
    static func body(_ spans: [TraceSpan], version: String) -> [UInt8] {
        var json = JSONWriter(capacity: 512 * spans.count + 512)
        json.literal(#"{"resourceSpans":[{"resource":{"attributes":["#)
        attribute("service.name", .text("belfry"), into: &json)
        json.literal(",")
        attribute("service.version", .text(version), into: &json)
        json.literal(#"]},"scopeSpans":[{"scope":{"name":"belfry"},"spans":["#)
        for (index, span) in spans.enumerated() {
            if index > 0 { json.literal(",") }
            write(span, into: &json)
        }
        json.literal("]}]}]}")
        return json.bytes
    }

    private static func write(_ span: TraceSpan, into json: inout JSONWriter) {
        json.literal(#"{"traceId":"#)
        json.string(span.traceID)
        json.literal(#","spanId":"#)
        json.string(span.spanID)
        if let parent = span.parentID {
            json.literal(#","parentSpanId":"#)
            json.string(parent)
        }
        json.literal(#","name":"#)
        json.string(span.name)
        // 3 is CLIENT, a call to another service; 1 is INTERNAL, work inside this server.
        json.literal(#","kind":"#)
        json.integer(span.number == 0 ? 1 : 3)
        json.literal(#","startTimeUnixNano":"#)
        json.string(nanoseconds(span.begin))
        json.literal(#","endTimeUnixNano":"#)
        json.string(nanoseconds(span.end))
        json.literal(#","attributes":["#)
        for (index, (key, value)) in span.attributes.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { json.literal(",") }
            attribute(key, value, into: &json)
        }
        // 1 is OK, 2 is ERROR.
        json.literal(#"],"status":{"code":"#)
        json.integer(span.error == nil ? 1 : 2)
        if let error = span.error {
            json.literal(#","message":"#)
            json.string(error)
        }
        json.literal("}}")
    }

    private static func attribute(_ key: String, _ value: TraceSpan.Value, into json: inout JSONWriter) {
        json.literal(#"{"key":"#)
        json.string(key)
        switch value {
        case .text(let text):
            json.literal(#","value":{"stringValue":"#)
            json.string(text)
        case .number(let number):
            json.literal(#","value":{"intValue":"#)
            json.string("\(number)")
        }
        json.literal("}}")
    }

    private static func nanoseconds(_ date: Date) -> String {
        // Whole microseconds, because a Date is not more precise.
        "\(Int64((max(date.timeIntervalSince1970, 0) * 1_000_000).rounded()))000"
    }
}
