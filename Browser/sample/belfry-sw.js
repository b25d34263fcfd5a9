import { attach } from "http://127.0.0.1:8080/sdk/0.1.0/belfry-worker.js";
attach("shop");
