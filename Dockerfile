# The program in an image that holds nothing else, for those who serve tables from a container:
#
#     docker build --tag tablesmith .
#     docker run --publish 9000:9000 --volume "$PWD/tables:/tables:ro" tablesmith
#     docker run --volume "$PWD/tables:/tables" --user "$(id -u)" tablesmith solve --men 4 --out /tables/fide
FROM rust:1-bookworm AS build
WORKDIR /source
COPY . .
RUN packaging/static.sh && mkdir -p /image/tables && packaging/licences.sh >/image/licences.txt && \
    cp "target/$(uname -m)-unknown-linux-gnu/release/tablesmith" LICENSE-MIT LICENSE-APACHE /image/

FROM scratch
COPY --from=build --chown=65534:65534 /image/ /
ENV TABLESMITH_TABLES=/tables
VOLUME /tables
USER 65534
EXPOSE 9000
ENTRYPOINT ["/tablesmith"]
CMD ["serve", "--listen", "0.0.0.0:9000", "--tables", "/tables"]
