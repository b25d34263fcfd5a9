import BelfryModel
import BelfryRules
import Foundation
import HTTPTypes
import Hummingbird

@testable import BelfryAPI
@testable import BelfryServices

/// The head of a request. The lines of an input are the path and then `name: value`.
enum RequestHeadTarget {
    static func run(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let path = String(decoding: lines.first ?? [], as: UTF8.self)
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self)) else {
                continue
            }
            fields.append(HTTPField(name: name, value: String(decoding: parts[1].drop { $0 == 0x20 }, as: UTF8.self)))
        }
        try paths(path)
        try values(fields)
        try queries(path)
    }

    private static func paths(_ path: String) throws {
        for method in [HTTPRequest.Method.get, .post] {
            guard let (call, code) = ExpressCall.find(method, path) else { continue }
            try expect(!code.utf8.contains(UInt8(ascii: "/")), "a code is one part of a path: \(path)")
            if case .messages(let center) = call {
                try expect(!center.utf8.contains(UInt8(ascii: "/")), "a name is one part of a path: \(path)")
            }
        }
    }

    private static func values(_ fields: HTTPFields) throws {
        for hasBody in [false, true] {
            guard let picked = ExpressFields(fields, hasBody: hasBody) else { continue }
            let named = fields.filter { $0.name.canonicalName == "x-client-id" }
            try expect(named.count == 1 && named.first?.value == picked.clientID, "one client, as it was said")
            try expect(hasBody == (fields[.contentType] != nil), "a body has a type")
        }
        for field in fields {
            let order = RequestOrder(header: field.value, now: Fixtures.now, maximumAhead: 300)
            try expect(order.milliseconds >= 0, "an order is not negative: \(field.value)")
            _ = ClockOffset(time: field.value, order: nil, now: Fixtures.now)
            _ = AcceptedEncoding.prefersGzip(field.value)
            _ = try? ContentCoding(header: field.value)
            try? APIError.rejectUnfit(idempotencyKey: field.value)
            _ = try? DeviceID(field.value)
        }
    }

    private static func queries(_ path: String) throws {
        let head = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: path)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        if let query = try? EventQuery(request) {
            try expect(query.filter.attributes.count <= EventQuery.maximumAttributes, "attributes have a bound")
        }
        let limits = PageLimits(standard: 100, maximum: 1_000)
        guard let page = try? PageQuery(request, limits) else { return }
        try expect((1...limits.maximum).contains(page.limit), "a page has a bound: \(page.limit)")
        _ = try? page.number()
    }
}
