import BelfryPush
import NIOCore

/// What is kept about one stream. A slot without a batch is free, or its stream was given up and has yet to close.
struct StreamSlot {
    /// Bytes of an answer's body that are kept; the rest is read and dropped.
    static let maximumBody = 8_192
    /// Bytes of a header value; longer ones are dropped.
    static let maximumFieldValue = 256
    /// The header field of an answer that anybody asks for; others are dropped.
    static let keptField = "retry-after"

    var batch: PushBatch?
    var index = 0
    var deadline = NIODeadline.distantFuture
    var stream: Int32 = 0
    /// Kept while libnghttp2 may read the fields.
    var common: HeaderBlock?
    var bodySent = 0
    /// All of the request was handed to the connection.
    var isSent = false
    var status = 0
    var fields: [HeaderField] = []
    var body: [UInt8] = []

    /// An answer begins, or a second one after an informational 1xx.
    mutating func begin(status: Int) {
        self.status = status
        fields.removeAll()
        body.removeAll()
    }

    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard name.count == Self.keptField.utf8.count, fields.isEmpty, value.count <= Self.maximumFieldValue,
            name.elementsEqual(Self.keptField.utf8)
        else { return }
        fields.append(HeaderField(Self.keptField, String(decoding: value, as: UTF8.self)))
    }

    mutating func append(body bytes: UnsafeBufferPointer<UInt8>) {
        body.append(contentsOf: bytes.prefix(Self.maximumBody - body.count))
    }
}
