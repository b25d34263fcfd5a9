# What the benchmarks share that send to a sink of their own; they read it with `.` from the project's folder.

# Starts a sink that accepts everything, with a certificate for 127.0.0.1 in FOLDER/cert.pem. It ends with the shell's
# other jobs. To LOG, if it is given, the sink writes the apns-id of each push.
start_sink() { # FOLDER PORT [LOG]
    cc -O2 -o "$1/push-sink" Benchmarks/PushSink/push-sink.c -lnghttp2 -lssl -lcrypto -lpthread
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 -keyout "$1/key.pem" -out "$1/cert.pem" 2>/dev/null
    "$1/push-sink" "$2" "$1/key.pem" "$1/cert.pem" 0 ${3:+"$3"} &
    until (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null; do :; done
}
