import AsyncHTTPClient
import BelfryServices
import BelfryWire
import Foundation
import NIOCore

/// Brings spans to an OpenTelemetry collector by OTLP over HTTP, as JSON (OTLP 1.0, "OTLP/HTTP").
struct OTLPTransport: TraceTransport {
    static let timeout = TimeAmount.seconds(5)
    private static let maximumResponseBytes = 65_536

    /// The collector did not take the spans; it may take them later.
    struct Busy: Error { let status: Int }

    private let address: String
    private let version: String
    private let http: HTTPClient

    /// - Parameters:
    ///   - origin: the collector's, such as `http://127.0.0.1:4318`.
    ///   - version: of this server.
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
        // A collector that is busy says so by 429 or 5xx; any other refusal would be the same the next time.
        if response.status == 429 || response.status >= 500 { throw Busy(status: response.status) }
        guard (200..<300).contains(response.status) else { throw TracesRefused(status: response.status) }
    }

    func close() async {
        // The spans were sent before; an error of the connections loses none.
        try? await http.shutdown()
    }

    /// `ExportTraceServiceRequest`, in the JSON form of OTLP: ids in hexadecimal, 64-bit numbers as strings.
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
        // 3: a call of another service; 1: work of this one.
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
        // 1: ok; 2: error.
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
        // Whole microseconds: a Date holds no finer ones.
        "\(Int64((max(date.timeIntervalSince1970, 0) * 1_000_000).rounded()))000"
    }
}
